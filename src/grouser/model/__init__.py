"""What a system is: bodies, joints, forces, contact and terrain by name, and the files that hold them."""
