// Package httpd guards HTTP handlers: it decides who may make requests, from which hosts, pages
// and connections, and bounds what each may take.
package httpd
