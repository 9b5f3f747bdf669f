"""What has changed on a machine since the last look: transitions of findings, and their delivery."""
