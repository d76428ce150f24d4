"""What is kept of a run: channels of frames, on their way to the file."""
