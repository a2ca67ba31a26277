---- MODULE m ----
VARIABLE x
====
