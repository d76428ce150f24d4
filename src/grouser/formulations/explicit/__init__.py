"""Forces only: total rotation matrix, trapezoidal predictor-corrector."""
