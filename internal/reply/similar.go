package reply

const MaxParameters = 100
