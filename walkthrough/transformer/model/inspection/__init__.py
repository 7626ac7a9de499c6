"""Looking inside a pass: what the model would say after each part, which part pushes which word, what heads do."""
