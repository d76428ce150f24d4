"""Triangles to pixels: which face is seen in each pixel, and how bright it is under a sun and a sky.

A picture is made in three steps. `calc_screen` puts the vertices into the picture, `calc_visible` finds the nearest
face in each pixel, and `calc_picture` shades what is seen, a few samples to a pixel. Shadows are looked up in depth
maps: pictures of nearness as each lamp sees it, made by `calc_visible` too (Williams, Casting curved shadows on curved
surfaces, SIGGRAPH 1978). The sky is a number of weak lamps all over it, so that places into which little of it can look
are dark.
"""

from __future__ import annotations

from collections import namedtuple
from math import ceil, floor, sqrt

from grouser.kernels._jit import kernel

SHINE, SHARPNESS = 0.10, 24
"""Strength and exponent of the highlights of the sun (Blinn, Models of light reflection, SIGGRAPH 1977)."""
SAME_FACE = 0.9
"""Samples of a pixel whose normals agree to this cosine share the light of the sky."""

Surface = namedtuple("Surface", ["faces", "ground", "screen", "world", "normals", "colours"])
"""All that is painted: faces (faces, 3), the number of the first face of the ground, and of the vertices (vertices, 3)
column, row and nearness in the picture, place [m], normal and colour."""
Lighting = namedtuple("Lighting", ["sun", "sun_map", "sky", "sky_maps", "light", "lift"])
"""Lamps: sun, sky (lamps, 4, 4), three rows that turn a point (x, y, z, 1) into column, row and nearness in the lamp's
map, and the direction to the lamp; one is the sun, all others share the light of the sky. sun_map, sky_maps (lamps,
size, size): nearness of what each lamp sees. light (3,): of the sun, of the whole sky on level ground, and of the
ground on what looks down. lift (2,): of points over their face against the grain of the maps, for the sun and for the
sky [m]."""
Backdrop = namedtuple("Backdrop", ["colours", "centre", "fade"])
"""What is behind: its colours at the top and at the bottom (2, 3); the middle of the ground that is shown (3,) [m], and
the distances from there between which the ground fades into it (2,) [m]."""


@kernel(entry=True, unlocked=True)
def calc_screen(
    # tables
    view,
    near,
    # in
    world,
    # out
    screen_out,
):
    """Column, row and nearness of points in a picture.

    Parameters
    ----------
    view : three rows that turn a point (x, y, z, 1) into column, row and nearness; with perspective the third is the
        distance, and the first two are multiplied by it, (3 or more, 4)
    near : with perspective the least distance at which anything is seen [m]; 0 without
    world : points, (points, 3) [m]
    screen_out : (points, 3); nearness 1/distance with perspective, 0 for what is not seen
    """
    for i in range(world.shape[0]):
        x, y, z = world[i, 0], world[i, 1], world[i, 2]
        u = view[0, 0] * x + view[0, 1] * y + view[0, 2] * z + view[0, 3]
        v = view[1, 0] * x + view[1, 1] * y + view[1, 2] * z + view[1, 3]
        w = view[2, 0] * x + view[2, 1] * y + view[2, 2] * z + view[2, 3]
        if near > 0.0:
            w = 1.0 / w if w > near else 0.0
            u, v = u * w, v * w
        screen_out[i, 0], screen_out[i, 1], screen_out[i, 2] = u, v, w


@kernel(entry=True, unlocked=True)
def calc_visible(
    # tables
    faces,
    # in
    screen,
    # out
    depth_out,
    face_out,
):
    """The nearest face in each pixel, of those that turn their outside to the viewer.

    Parameters
    ----------
    faces : three vertices of each, anticlockwise seen from outside, (faces, 3)
    screen : column, row and nearness of each vertex, (vertices, 3); a face with a nearness of 0 or less is not drawn
    depth_out : nearness in the middle of each pixel, (rows, columns); 0 where nothing is
    face_out : number of the face, (rows, columns), -1 where nothing is; None if it is not asked for
    """
    rows, columns = depth_out.shape
    for row in range(rows):
        for column in range(columns):
            depth_out[row, column] = 0.0
            if face_out is not None:
                face_out[row, column] = -1
    for face in range(faces.shape[0]):
        a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
        za, zb, zc = screen[a, 2], screen[b, 2], screen[c, 2]
        if min(za, zb, zc) <= 0.0:
            continue
        xa, ya, xb, yb, xc, yc = screen[a, 0], screen[a, 1], screen[b, 0], screen[b, 1], screen[c, 0], screen[c, 1]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if area >= 0.0:  # rows go down, so what is anticlockwise has a negative area
            continue
        left, right = max(0.0, ceil(min(xa, xb, xc) - 0.5)), min(columns - 1.0, floor(max(xa, xb, xc) - 0.5))
        top, bottom = max(0.0, ceil(min(ya, yb, yc) - 0.5)), min(rows - 1.0, floor(max(ya, yb, yc) - 0.5))
        # shares of b and c grow linearly along a row and down the columns
        bx, by = (yc - ya) / area, (xa - xc) / area
        cx, cy = (ya - yb) / area, (xb - xa) / area
        zx, zy = bx * (zb - za) + cx * (zc - za), by * (zb - za) + cy * (zc - za)
        for row in range(int(top), int(bottom) + 1):
            dy = row + 0.5 - ya
            for column in range(int(left), int(right) + 1):
                dx = column + 0.5 - xa
                share_b, share_c = bx * dx + by * dy, cx * dx + cy * dy
                if share_b < 0.0 or share_c < 0.0 or share_b + share_c > 1.0:
                    continue
                z = za + zx * dx + zy * dy
                if z > depth_out[row, column]:
                    depth_out[row, column] = z
                    if face_out is not None:
                        face_out[row, column] = face


@kernel(inline=True)
def calc_shares(faces, screen, face, x, y):
    """Shares of the three vertices of a face at a point of the picture, corrected for perspective."""
    a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
    xa, ya, xb, yb, xc, yc = screen[a, 0], screen[a, 1], screen[b, 0], screen[b, 1], screen[c, 0], screen[c, 1]
    area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
    share_b = ((yc - ya) * (x - xa) + (xa - xc) * (y - ya)) / area
    share_c = ((ya - yb) * (x - xa) + (xb - xa) * (y - ya)) / area
    wa, wb, wc = (1.0 - share_b - share_c) * screen[a, 2], share_b * screen[b, 2], share_c * screen[c, 2]
    total = wa + wb + wc
    return wa / total, wb / total, wc / total


@kernel(inline=True)
def calc_mean(values, faces, face, shares):
    """A vector of the vertices at a point of a face."""
    a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
    wa, wb, wc = shares
    return (
        wa * values[a, 0] + wb * values[b, 0] + wc * values[c, 0],
        wa * values[a, 1] + wb * values[b, 1] + wc * values[c, 1],
        wa * values[a, 2] + wb * values[b, 2] + wc * values[c, 2],
    )


@kernel
def calc_light(lamps, maps, lamp, x, y, z, taps):
    """Share of a lamp's light that reaches a point, 0 to 1: the mean over taps x taps pixels of its map."""
    size = maps.shape[1]
    u = lamps[lamp, 0, 0] * x + lamps[lamp, 0, 1] * y + lamps[lamp, 0, 2] * z + lamps[lamp, 0, 3]
    v = lamps[lamp, 1, 0] * x + lamps[lamp, 1, 1] * y + lamps[lamp, 1, 2] * z + lamps[lamp, 1, 3]
    near = lamps[lamp, 2, 0] * x + lamps[lamp, 2, 1] * y + lamps[lamp, 2, 2] * z + lamps[lamp, 2, 3]
    left, top = floor(u - 0.5 * (taps - 1)), floor(v - 0.5 * (taps - 1))
    if left < 0 or top < 0 or left + taps >= size or top + taps >= size:
        return 1.0
    # pixels at the border count by the share of them that the square covers, so that shadows have no steps
    right, below = u - 0.5 * (taps - 1) - left, v - 0.5 * (taps - 1) - top
    total = 0.0
    for i in range(taps + 1):
        down = 1.0 - below if i == 0 else (below if i == taps else 1.0)
        for j in range(taps + 1):
            across = 1.0 - right if j == 0 else (right if j == taps else 1.0)
            if maps[lamp, top + i, left + j] <= near:
                total += down * across
    return total / (taps * taps)


@kernel
def calc_sky(lamps, maps, x, y, z, nx, ny, nz):
    """Light of the sky on a point, 1 in the open on level ground."""
    total = 0.0
    for lamp in range(lamps.shape[0]):
        slope = nx * lamps[lamp, 3, 0] + ny * lamps[lamp, 3, 1] + nz * lamps[lamp, 3, 2]
        if slope > 0.0:
            total += slope * calc_light(lamps, maps, lamp, x, y, z, 2)
    return total * 2.0 / lamps.shape[0]


@kernel(entry=True, unlocked=True)
def calc_picture(
    # in
    surface,
    lighting,
    backdrop,
    eye,
    face,
    first,
    last,
    # out
    picture_out,
):
    """Colours of the pixels (rows, columns, 3) in linear light, each the mean of samples x samples, in some rows.

    Parameters
    ----------
    eye : the camera, (3,) [m]
    face : from `calc_visible`, (samples rows, samples columns)
    first, last : the rows from `first` to before `last` are painted
    """
    faces, ground, screen, world, normals, colours = surface
    sun, sun_map, sky, sky_maps, light, lift = lighting
    background, centre, fade = backdrop
    rows, columns = picture_out.shape[0], picture_out.shape[1]
    samples = face.shape[0] // rows
    weight = 1.0 / (samples * samples)
    lx, ly, lz = sun[0, 3, 0], sun[0, 3, 1], sun[0, 3, 2]
    for row in range(first, last):
        down = row / rows
        br = background[0, 0] + down * (background[1, 0] - background[0, 0])
        bg = background[0, 1] + down * (background[1, 1] - background[0, 1])
        bb = background[0, 2] + down * (background[1, 2] - background[0, 2])
        for column in range(columns):
            red, green, blue = 0.0, 0.0, 0.0
            is_known, kx, ky, kz, ambient = False, 0.0, 0.0, 0.0, 0.0
            for sample in range(samples * samples):
                i, j = samples * row + sample // samples, samples * column + sample % samples
                f = face[i, j]
                if f < 0:
                    red, green, blue = red + br, green + bg, blue + bb
                    continue
                shares = calc_shares(faces, screen, f, j + 0.5, i + 0.5)
                px, py, pz = calc_mean(world, faces, f, shares)
                cr, cg, cb = calc_mean(colours, faces, f, shares)
                nx, ny, nz = calc_mean(normals, faces, f, shares)
                size = sqrt(nx * nx + ny * ny + nz * nz)
                nx, ny, nz = nx / size, ny / size, nz / size
                if not is_known or nx * kx + ny * ky + nz * kz < SAME_FACE:
                    x, y, z = px + lift[1] * nx, py + lift[1] * ny, pz + lift[1] * nz
                    ambient = calc_sky(sky, sky_maps, x, y, z, nx, ny, nz)
                    is_known, kx, ky, kz = True, nx, ny, nz
                slope = nx * lx + ny * ly + nz * lz
                bright, shine = light[1] * ambient + light[2] * (0.5 - 0.5 * nz), 0.0
                if slope > 0.0:
                    x, y, z = px + lift[0] * nx, py + lift[0] * ny, pz + lift[0] * nz
                    direct = light[0] * calc_light(sun, sun_map, 0, x, y, z, 3)
                    bright += slope * direct
                    if f < ground:
                        vx, vy, vz = eye[0] - px, eye[1] - py, eye[2] - pz
                        size = sqrt(vx * vx + vy * vy + vz * vz)
                        hx, hy, hz = lx + vx / size, ly + vy / size, lz + vz / size
                        size = sqrt(hx * hx + hy * hy + hz * hz)
                        glance = max(0.0, (nx * hx + ny * hy + nz * hz) / size)
                        shine = SHINE * direct * glance**SHARPNESS
                cr, cg, cb = cr * bright + shine, cg * bright + shine, cb * bright + shine
                if f >= ground:
                    far = sqrt((px - centre[0]) * (px - centre[0]) + (py - centre[1]) * (py - centre[1]))
                    t = min(1.0, max(0.0, (far - fade[0]) / (fade[1] - fade[0])))
                    t = t * t * (3.0 - 2.0 * t)
                    cr, cg, cb = cr + t * (br - cr), cg + t * (bg - cg), cb + t * (bb - cb)
                red, green, blue = red + cr, green + cg, blue + cb
            picture_out[row, column, 0] = weight * red
            picture_out[row, column, 1] = weight * green
            picture_out[row, column, 2] = weight * blue
