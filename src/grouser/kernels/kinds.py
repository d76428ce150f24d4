"""Kinds of elements as integers: what tables hold and compiled code branches on. Here, and nowhere else."""

from __future__ import annotations

WORLD_ROW = 0
"""Row of the world in arrays by node: before all others, whatever their number."""

# rotations that a point connection holds besides the coincidence, or the distance that it holds instead
POINT_ROTATION_FREE, POINT_TILT, POINT_LOCKED, POINT_UNIVERSAL, POINT_DISTANCE = 0, 1, 2, 3, 4

# whether a marker turns with the points that it sits on, and whether these lie in a plane
MARKER_STILL, MARKER_IN_SPACE, MARKER_IN_PLANE = 0, 1, 2

# coordinate and law of a scalar force element
COORDINATE_DISTANCE, COORDINATE_SLIDE, COORDINATE_TWIST = 0, 1, 2
LAW_SPRING, LAW_POSITION, LAW_SPEED, LAW_FORCE, LAW_MOTION_POSITION, LAW_MOTION_SPEED = 0, 1, 2, 3, 4, 5

# rows of ideal joints and motions: what each of them holds
ROW_POINT, ROW_SLIDE, ROW_NORMAL, ROW_TWIST, ROW_DISTANCE = 0, 1, 2, 3, 4

SIGNAL_CONSTANT, SIGNAL_TABLE, SIGNAL_EXPRESSION = 0, 1, 2

# contact pairs; those with the terrain come first
PAIR_POINTS_TERRAIN, PAIR_WHEEL_TERRAIN, PAIR_STRIP_TERRAIN, PAIR_SPHERE_TERRAIN = 0, 1, 2, 3
PAIR_LAST_TERRAIN = PAIR_SPHERE_TERRAIN
PAIR_WHEEL_PLATE, PAIR_SPROCKET_PIN, PAIR_GROOVE_HORN, PAIR_WHEEL_RAIL, PAIR_TOOTHED_PIN = 4, 5, 6, 7, 8
PAIR_SPHERE_SPHERE, PAIR_SPHERE_PLATE = 9, 10
# contact points against polygons, whatever both are: in encounters of their own (`contact/surface`)
PAIR_SURFACE = 11
PAIRS_OF_OUTLINES = (PAIR_STRIP_TERRAIN, PAIR_WHEEL_RAIL, PAIR_TOOTHED_PIN)
PAIRS_OF_SPHERES = (PAIR_SPHERE_TERRAIN, PAIR_SPHERE_SPHERE, PAIR_SPHERE_PLATE)
# what stiffness and damping of a contact are multiplied with
PER_CONTACT, PER_AREA, PER_LENGTH = 0, 1, 2
FRICTION_NONE, FRICTION_TANH, FRICTION_TRILINEAR, FRICTION_ASPERITY = 0, 1, 2, 3

TERRAIN_NONE, TERRAIN_PLANE, TERRAIN_PROFILE, TERRAIN_GRID = 0, 1, 2, 3

# how the child body of a joint of the tree turns against its parent
ROTATION_NONE, ROTATION_TURN, ROTATION_UNIVERSAL, ROTATION_FREE = 0, 1, 2, 3

# positions of joints in closed form: see kernels/joints/closed_form.py
CLOSED_PLACE, CLOSED_DRIVE, CLOSED_TURN, CLOSED_AIM, CLOSED_BALL = 0, 1, 2, 3, 4

# rows of the stored energy, dissipated power and input power that every force element adds to; of the last one
# integrators book what their steps damp, and the stored energy is that which springs would hold by their rates
LEDGER_JOINTS, LEDGER_FORCES, LEDGER_CONTACTS, LEDGER_FRICTION, LEDGER_MOTIONS, LEDGER_NUMERICAL = 0, 1, 2, 3, 4, 5
LEDGER_COUNT = 6
# elastic elements have a place of their own behind these, in models that have some
LEDGER_ELEMENTS = 6

# elements with slopes, in the order of the rows of `ImplicitMatrix.note`
NOTE_POINTS, NOTE_FRAMES, NOTE_SCALARS, NOTE_TYRES, NOTE_BRAKES, NOTE_CONTACTS = 0, 1, 2, 3, 4, 5
