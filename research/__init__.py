"""What is measured, shown and released: `python -m research VERB`. No part of the wheel."""
