package author

// MaxArgument is how many bytes a reply shows of one recorded argument.
const MaxArgument = 300
