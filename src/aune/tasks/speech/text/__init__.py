"""What is done to the words before they are compared, and how they are said."""
