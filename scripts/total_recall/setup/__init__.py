"""The bundle on this machine: which hosts there are, and their skill folders."""
