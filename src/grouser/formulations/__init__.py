"""How the equations of motion are formed and solved."""
