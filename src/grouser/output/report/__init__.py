"""Reports: one HTML file with moving 3D, plots and numbers, which needs nothing but a browser."""
