// Package term writes for people: pages with colours and tables, text that fits a
// terminal, frames that replace one another, and amounts in words. What it writes is
// masked and cannot steer the terminal.
package term
