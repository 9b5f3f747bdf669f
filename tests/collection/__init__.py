"""Tests of the Ansible collection."""
