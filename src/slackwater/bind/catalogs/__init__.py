"""Statements about declarations: DROP, CREATE OR REPLACE, SHOW and DESCRIBE."""
