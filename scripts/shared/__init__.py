"""What the commands of scripts/ share: runs and their rows, published numbers, how figures are drawn."""
