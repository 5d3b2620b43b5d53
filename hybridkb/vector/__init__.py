"""The meaning index: embedding spaces, stored vectors, and the nearest of them."""
