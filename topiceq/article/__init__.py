"""Any source in; prose, headings and formulas out."""
