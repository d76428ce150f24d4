"""Order of the members of a tree: halves by the median along the longest side, until they are leaves.

Halves of equal size need no pointers, and boxes of halves by the median overlap little. The cost is n log n.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel


@kernel(inline=True)
def find_next(node):
    """The node after all that is below this one, from left to right; 1 behind the last."""
    node += 1
    while node & 1 == 0:
        node >>= 1
    return node


@kernel(inline=True)
def find_members(node, leaves, count):
    """First member of a node, and the one behind its last."""
    size = 1
    while 2 * size <= node:
        size *= 2
    return (node - size) * count // size, (node - size + 1) * count // size


@kernel(inline=True)
def find_longest_side(centre, first, stop):
    """Axis along which centres first to stop are spread the most."""
    ax = bx = centre[first, 0]
    ay = by = centre[first, 1]
    az = bz = centre[first, 2]
    for i in range(first + 1, stop):
        x, y, z = centre[i, 0], centre[i, 1], centre[i, 2]
        ax, bx = min(ax, x), max(bx, x)
        ay, by = min(ay, y), max(by, y)
        az, bz = min(az, z), max(bz, z)
    axis, longest = 0, bx - ax
    if by - ay > longest:
        axis, longest = 1, by - ay
    return 2 if bz - az > longest else axis


@kernel(inline=True)
def swap(i, j, order_out, centre_work):
    """Exchange two members."""
    order_out[i], order_out[j] = order_out[j], order_out[i]
    for k in range(3):
        centre_work[i, k], centre_work[j, k] = centre_work[j, k], centre_work[i, k]


@kernel
def split_at(first, middle, stop, axis, order_out, centre_work):
    """Reorder first to stop so that those before `middle` are not behind the others along an axis (Hoare's search)."""
    low, high = first, stop - 1
    while low < high:
        a, b, c = centre_work[low, axis], centre_work[(low + high) // 2, axis], centre_work[high, axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while centre_work[i, axis] < pivot:
                i += 1
            while centre_work[j, axis] > pivot:
                j -= 1
            if i <= j:
                swap(i, j, order_out, centre_work)
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel
def find_order(leaves, order_out, centre_work):
    """Order the members of a tree of so many leaves; `centre_work` (n, 3) has their centres, and follows the order."""
    count = order_out.shape[0]
    node = 1
    while True:
        if node < leaves:
            first, stop = find_members(node, leaves, count)
            if stop - first > 1:
                _, middle = find_members(2 * node, leaves, count)
                axis = find_longest_side(centre_work, first, stop)
                split_at(first, middle, stop, axis, order_out, centre_work)
            node *= 2
        else:
            node = find_next(node)
            if node == 1:
                return
