"""Properties that hold for every input, and the strategies that make inputs."""
