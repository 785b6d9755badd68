"""What moves the files of one's machines between them: a folder, a git repository, ssh."""
