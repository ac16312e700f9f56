// Command hello is a program to build.
package main

func main() { println("hello") }
