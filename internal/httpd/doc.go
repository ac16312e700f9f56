// Package httpd is what every handler over HTTP has in front of it: who may make requests,
// from which hosts and pages, over which connections, and how much each may take.
package httpd
