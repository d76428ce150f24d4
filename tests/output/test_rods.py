"""Rods of distance joints in pictures."""

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.model.builder import ModelBuilder
from grouser.model.start import calc_rod_length
from grouser.output.rods import calc_rod_poses, make_rod_meshes


def test_rods_reach_from_point_to_point():
    builder = ModelBuilder("rods")
    builder.add_body("one", 1.0, (1, 1, 1))
    builder.add_body("two", 1.0, (1, 1, 1), position=(1, 0, 0))
    builder.add_distance("tie", "one", "two", point_a=(0.1, 0.2, 0.3), point_b=(1.0, 0.5, -0.2))
    builder.add_distance("down", "world", "two", point_a=(1, 0, 3), point_b=(1, 0, 1))
    model = builder.build()
    turn = Rotation.from_rotvec([[0, 0, 0], [0.3, -0.2, 0.5]])
    position = np.array([[[0, 0, 0], [1, 0, 0]], [[0.1, 0.0, 0.2], [1.2, 0.1, 0.0]]], dtype=float)
    quaternion = np.repeat(turn.as_quat()[:, None, :], 2, axis=1)
    places, turns = calc_rod_poses(model, position, quaternion)
    meshes = make_rod_meshes(model)
    assert list(meshes) == ["tie", "down"]
    for k, (name, mesh) in enumerate(meshes.items()):
        joint = model.joints[name]
        for frame in range(2):
            ends = []
            for end in (joint.frame_a, joint.frame_b):
                i = {"one": 0, "two": 1, "world": None}[end.body]
                point = np.array(end.position)
                ends.append(point if i is None else position[frame, i] + turn[frame].apply(point))
            along = Rotation.from_quat(turns[frame, k]).apply([0, 0, 1])
            np.testing.assert_allclose(places[frame, k], ends[0], atol=1e-12)
            np.testing.assert_allclose(along, (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0]), atol=1e-12)
        np.testing.assert_allclose(mesh.vertices[:, 2].max(), calc_rod_length(model, joint), rtol=1e-6)
