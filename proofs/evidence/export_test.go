package evidence

// Folder and OpenFolder check an answer part by part.
type Folder = folder

var OpenFolder = openFolder
