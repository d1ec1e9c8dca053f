"""Plans as pictures: boxes of steps in lanes of stages, placed by a layered layout, written as SVG."""
