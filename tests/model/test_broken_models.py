"""Each broken model file gives its own clear sentence, with the line, and no other fault."""

from __future__ import annotations

import pytest

from grouser.errors import ModelError
from grouser.model.model import Model
from grouser.model.schema import load_document, load_model, validate_document

# (text to replace, its replacement, words of the sentence)
BROKEN = {
    # numbers and units
    "negative mass": ("mass: 100", "mass: -100", ["bodies.chassis.mass", "-100 [kg]", "greater than 0"]),
    "mass with unit": ("mass: 100", "mass: 100 kg", ["'100 kg'", "a number [kg]", "without unit"]),
    "mass in quotes": ("mass: 100", 'mass: "100"', ["'100'", "number [kg]", "without quotes"]),
    "mass is true": ("mass: 100", "mass: true", ["is true where a number [kg]"]),
    "mass is nan": ("mass: 100", "mass: .nan", ["nan", "finite number [kg]"]),
    "mass is infinite": ("mass: 100", "mass: .inf", ["inf", "finite number [kg]"]),
    "mass is empty": ("mass: 100", "mass: null", ["is empty where a number [kg]"]),
    "mass too large": ("mass: 100", "mass: 1" + "0" * 400, ["too large"]),
    "mass too heavy": ("mass: 100", "mass: 1.0e+30", ["is 1e+30 [kg]", "at most 1e+09"]),
    "mass too light": ("mass: 100", "mass: 1.0e-10", ["is 1e-10 [kg]", "at least 1e-09"]),
    "mass without inertia": (
        "mass: 100",
        "mass: 1.0e-6",
        ["chassis.inertia", "1e-06 kg", "radii of gyration"],
    ),
    "place beyond all": ("position: [0, 0, 1]", "position: [0, 0, 1.0e+300]", ["1e+300 [m]", "at most 1e+15"]),
    "endless friction": ("mu: 0.8", "mu: 1.0e+6", ["friction.mu", "at most 10"]),
    "no name": ("name: rig", 'name: ""', ["name: is empty"]),
    "name with NUL": ("name: rig", 'name: "a\\0"', ["name: is 'a\\x00'", "control characters"]),
    "gravity of text": ("-9.81", "down", ["gravity[2]", "'down'", "[m/s^2]"]),
    "vector too short": ("position: [0, 0, 1]", "position: [0, 1]", ["has 2 values; 3 are expected [m]"]),
    "vector too long": ("position: [0, 0, 1]", "position: [0, 0, 0, 1]", ["has 4 values; 3 are"]),
    "scalar for vector": ("position: [0, 0, 1]", "position: 1", ["is 1 where a list"]),
    "teeth not whole": ("teeth: 10\n    arc", "teeth: 10.5\n    arc", ["shapes.gear.teeth", "whole number"]),
    "share over one": ("per: area", "separation: 1.5", ["separation: is 1.5", "at most 1"]),
    "flag is text": ("per: area", "sticking: yes", ["'yes' where true or false"]),
    "name is a number": ("joint: hinge", "joint: 12", ["is 12 where text is expected"]),
    "points missing": ("[[0.1, 0, 0], [-0.1, 0, 0]]", "[]", ["pad.positions", "0 entries; at least 1"]),
    # keys, types
    "misspelt key": ("mass: 100", "mas: 100", ["unknown key 'mas': did you mean 'mass'?"]),
    "missing key": ("mass: 100, ", "", ["bodies.chassis: missing key 'mass' [kg]"]),
    "misspelt family": ("bodies:", "bodys:", ["unknown key 'bodys': did you mean 'bodies'?"]),
    "misspelt joint type": ("hinge: {type: revolute", "hinge: {type: revolut", ["did you mean 'revolute'"]),
    "misspelt force type": ("joint_spring", "joint_sprng", ["forces.bar.type", "mean 'joint_spring'"]),
    "no force type": ("type: applied, ", "", ["forces.push: missing key 'type'", "actuator"]),
    "element is a number": ("hinge: {type: revolute", "x: 5\n  hinge: {type: revolute", ["joints.x: is 5"]),
    "format version": ("grouser: 1", "grouser: 2", ["is 2", "reads version 1"]),
    "no format version": ("grouser: 1\n", "", ["missing key 'grouser'"]),
    "unknown kind": ("kind: model", "kind: modle", ["unknown kind 'modle': did you mean 'model'?"]),
    "no kind": ("kind: model\n", "", ["missing key 'kind'; one of: model"]),
    "duplicate key": ("  arm: {", "  chassis: {", ["'chassis' is given twice", "first in line 7"]),
    # names and references
    "missing body": ("frame_b: {body: arm, ", "frame_b: {body: amr, ", ["hinge.frame_b.body", "mean 'arm'"]),
    "missing joint": ("joint: hinge", "joint: hing", ["unknown joint 'hing': did you mean 'hinge'?"]),
    "missing group": ("a: pads", "a: pad", ["contacts.ground.a", "did you mean 'pads'?"]),
    "missing main body": ("main_body: chassis", "main_body: hull", ["main_body: unknown body 'hull'"]),
    "missing shape body": ("body: left.link1, group: pads", "body: x, group: pads", ["unknown body 'x'"]),
    "bad character": ("  bar: {", '  "b r": {', ["forces.b r", "'b r' may have only letters, digits"]),
    "reserved name": ("  bar: {", "  energy: {", ["'energy' is reserved"]),
    "reserved group": ("group: pins", "group: world", ["left.pin1.group", "'world' is reserved"]),
    "name in two families": ("  bar: {", "  hinge: {", ["forces.hinge", "taken in 'joints'"]),
    "same body twice": (
        "frame_b: {body: arm, ",
        "frame_b: {body: chassis, ",
        ["both frames are on 'chassis'"],
    ),
    "force on the world": ("frame: {body: chassis}, force", "frame: {}, force", ["acts on the world"]),
    # physics
    "triangle inequality": ("[10, 20, 25]", "[10, 20, 45]", ["10, 20, 45 kg m^2", "triangle inequality"]),
    "inertia not positive": ("[10, 20, 25]", "[10, -20, 25]", ["-20, 10, 25", "all must be positive"]),
    "inertia by products": ("0.01, 0, 0]", "0.5, 0, 0]", ["bodies.arm.inertia", "all must be positive"]),
    "inertia of four": ("[10, 20, 25]", "[10, 20, 25, 0]", ["has 4 values; it must be 3 numbers", "or 6"]),
    "zero quaternion": ("[1, 0, 0.1, 0]", "[0, 0, 0, 0]", ["bodies.arm.orientation", "length zero"]),
    "zero axis": ("radius: 0.3,", "radius: 0.3, axis: [0, 0, 0],", ["roller.axis", "no direction"]),
    "negative damping": ("friction: 2", "damping: -2", ["forces.bar.damping", "is -2", "positive"]),
    "stops exchanged": ("lower: -0.1", "lower: 0.3", ["lower 0.3 is above upper 0.2"]),
    "stops without ends": ("lower: -0.1, upper: 0.2, ", "", ["neither 'lower' nor 'upper'"]),
    "table backwards": ("[0, 0], [1, 900]", "[2, 0], [1, 900]", ["damping[2]", "1 follows 2", "increase"]),
    "table of one": ("[[-1, -500], [0, 0], [1, 900]]", "[[0, 0]]", ["table of 1 points; at least 2"]),
    "bushing of five": ("1000, 1000, 0]", "1000, 1000]", ["stiffness: has 5 values; 6 values or a 6 x 6"]),
    "bushing negative": ("1000, 1000, 0]", "1000, 1000, -1]", ["negative eigenvalue -1"]),
    # signals
    "bad expression": ("10*t", "10*", ["motor.target", "position 4", "missing at the end"]),
    "unknown function": ("100*sin(t)", "100*sine(t)", ["push.force[0]", "did you mean 'sin'"]),
    "speed with unit": ("10*t", "10 rad/s", ["an operator is missing before 'rad'", "without unit"]),
    "not finite at start": ("10*t", "1/t", ["is inf at t = 0"]),
    "signal is true": ("target: 10*t", "target: true", ["is true where a number"]),
    # coordinates and motions
    "rotation of a slider": ("joint: hinge", "joint: slide", ["'slide' is prismatic", "use translation"]),
    "motion of a fixed joint": ("slide: {type: prismatic", "slide: {type: fixed", ["no free translation"]),
    "two motions": (
        "motions:\n",
        "motions:\n  first: {joint: slide, coordinate: translation, quantity: speed, value: 0}\n",
        ["motions.feed", "'first' prescribes already"],
    ),
    # contact, terrain, sprocket
    "no kernel": ("a: rollers, b: plates", "a: rollers, b: track_pins", ["no contact between wheel", "pin"]),
    "no groove": (", groove: 0.03", "", ["wheel 'roller' has no groove"]),
    "mixed group": (
        "  pin: {type: pin, body",
        "  bar: {type: rail, body: left.link1, group: plates, points: [[0, 0], [0.1, 0]], width: 0.1}\n"
        "  pin: {type: pin, body",
        ["contacts.rolling.b", "holds plate ('plate') and rail ('bar')", "a group and a contact of its own"],
    ),
    "terrain as a": ("a: pads, b: terrain", "a: terrain, b: pads", ["exchange a and b"]),
    "no terrain": ("terrain: {type", "terrain: null\ndescription: |\n  {type", ["the model has none"]),
    "area of a wheel": (
        "stiffness: 2.0e+6}\n  driving",
        "stiffness: 2.0e+6, per: area}\n  driving",
        ["only points"],
    ),
    "profile backwards": ("[5, 0], [6, 0.3]", "[5, 0], [5, 0.3]", ["terrain.points[2]", "5 follows 5"]),
    "ragged grid": (
        "{type: profile, points: [[0, 0], [5, 0], [6, 0.3]]}",
        "{type: grid, origin: [0, 0], spacing: [1, 1], heights: [[0, 0], [0, 0, 1]]}",
        ["terrain.heights[1]", "row has 3 values and the first row 2"],
    ),
    "plane upside down": (
        "{type: profile, points: [[0, 0], [5, 0], [6, 0.3]]}",
        "{type: plane, normal: [0, 0, -1]}",
        ["terrain.normal", "must be positive (up)"],
    ),
    "arc too large": ("arc_radius: 0.089", "arc_radius: 0.35", ["arc_radius: is 0.35 m", "no hub"]),
    "arc too small": ("arc_radius: 0.089", "arc_radius: 0.03", ["0.27 m", "does not reach the addendum"]),
    "gap closed": (
        "arc_centre_radius: 0.3",
        "arc_centre_radius: 0.24",
        ["at least 0.244", "closed at the top"],
    ),
    "lands vanish": ("teeth: 10\n    arc", "teeth: 12\n    arc", ["lands vanish", "at most 10 teeth"]),
    "reference along axis": ("groove: 0.03\ncon", "reference: [0, 1, 0]\ncon", ["not normal to the axis"]),
    # tracks
    "pins missing": ("left.pin2, left.pin3]", "left.pin2]", ["3 links and 2 pins"]),
    "pins exchanged": ("[left.pin1, left.pin2,", "[left.pin2, left.pin1,", ["'left.pin2' connects"]),
    "link twice": (
        "[left.link1, left.link2, ",
        "[left.link1, left.link1, ",
        ["names left.link1 more than once"],
    ),
    "no such drive": ("drive: motor", "drive: moter", ["motion or actuator 'moter'", "mean 'motor'"]),
    "drive of another joint": ("drive: motor", "drive: feed", ["not the sprocket 'sprocket'"]),
    "track without keys": (
        "tracks:\n  left:",
        "tracks:\n  right: {}\n  left:",
        ["tracks.right: missing key 'sprocket'"],
    ),
    "track without links": (
        "    links: [left.link1, left.link2, left.link3]\n    pins: [left.pin1, left.pin2, left.pin3]\n",
        "",
        ["tracks.left", "has 0 links", "at least 3"],
    ),
}
SEVERAL = {"pins exchanged", "track without keys"}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_model_is_refused_in_one_sentence(case, whole, tmp_path):
    old, new, words = BROKEN[case]
    assert whole.count(old) >= 1
    path = tmp_path / "rig.yaml"
    path.write_text(whole.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load_model(path)
    faults = caught.value.faults
    assert any(all(word in fault for word in words) for fault in faults), faults
    assert all(fault.startswith(str(path)) for fault in faults)
    assert len(faults) == 1 or case in SEVERAL, faults
    assert "pydantic" not in str(caught.value)


def test_line_number_is_that_of_the_value(whole):
    text = whole.replace("mass: 5,", "mass: -5,").replace("pitch: 0.15", "pitch: 0")
    with pytest.raises(ModelError) as caught:
        validate_document(Model, load_document(text))
    lines = text.splitlines()
    arm = 1 + next(i for i, line in enumerate(lines) if "mass: -5" in line)
    pitch = 1 + next(i for i, line in enumerate(lines) if "pitch: 0" in line)
    assert [fault.split(": ")[0] for fault in caught.value.faults] == [f"<text>:{arm}", f"<text>:{pitch}"]


def test_all_faults_come_at_once_also_of_different_stages(whole):
    text = (
        whole.replace("mass: 100", "mass: -100")  # a field
        .replace("joint: hinge", "joint: hing")  # a reference
        .replace("10*t", "10*")  # an expression
        .replace("points: [[0, 0]", "points: [[7, 0]")  # a table
        .replace("radius: 0.015", "radius: thin")  # a shape that others refer to by its group
    )
    with pytest.raises(ModelError) as caught:
        validate_document(Model, load_document(text))
    faults = str(caught.value)
    for word in (
        "bodies.chassis.mass",
        "unknown joint 'hing'",
        "motor.target",
        "terrain.points",
        "shapes.pin",
    ):
        assert word in faults
    # Nothing is held against what refers to the elements that could not be read.
    assert "unknown body" not in faults
    assert "group of shapes" not in faults


def test_unreadable_terrain_is_not_also_missing(whole):
    with pytest.raises(ModelError) as caught:
        validate_document(Model, load_document(whole.replace("points: [[0, 0]", "points: [[a, 0]")))
    assert len(caught.value.faults) == 1


def test_model_made_in_python_is_refused_alike():
    with pytest.raises(ModelError, match=r"bodies\.ball\.mass: is -1 \[kg\]"):
        Model(name="x", bodies={"ball": {"mass": -1, "inertia": (1, 1, 1)}})
    with pytest.raises(ModelError, match="unknown body 'bal'"):
        Model(name="x", bodies={"ball": {"mass": 1, "inertia": (1, 1, 1)}}, main_body="bal")
    with pytest.raises(ModelError, match="block of keys"):
        Model.model_validate(3)


def test_changed_copies_are_checked(whole):
    model = validate_document(Model, load_document(whole))
    assert model.with_motion("feed", "0.1*t").motions["feed"].value == "0.1*t"
    with pytest.raises(ModelError, match="missing at the end"):
        model.with_motion("feed", "0.1*")
    with pytest.raises(ModelError, match=r"unknown motion 'fed': did you mean 'feed'\?"):
        model.with_motion("fed", 0.0)
    with pytest.raises(ModelError, match="the model has none"):
        model.with_terrain(None)
