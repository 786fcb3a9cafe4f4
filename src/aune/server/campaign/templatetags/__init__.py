"""What templates of a campaign say in their own way."""
