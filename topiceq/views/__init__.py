"""What people see: shapes for tools, tables for notebooks, pages for browsers."""
