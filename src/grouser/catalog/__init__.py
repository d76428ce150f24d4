"""Ready-made vehicles and scenarios, and the templates they are made from."""
