#!/bin/sh
# An MCP server that writes into the file $1 what is asked of it. Its tools are those of
# $1.tools, if there is such a file. While $1.hang exists,
# calls are not answered. Who has listed the tools is told
# by the pipe $1.ready, and what is called for a run of the user by $1.called.
echo "start own" >> "$1"
while IFS= read -r line; do
	case $line in *'"id":'*) ;; *) continue ;; esac
	id=${line#*'"id":'}
	id=${id%%[,\}]*}
	case $line in
	*'"method":"initialize"'*) reply='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"own","version":"1"}}' ;;
	*'"method":"tools/list"'*)
		echo "list own" >> "$1"
		schema='"inputSchema":{"type":"object","properties":{"by":{"type":"string"}}}'
		reply='"result":{"tools":[{"name":"look","description":"Looks","annotations":{"readOnlyHint":true},'$schema'},{"name":"destroy","description":"Destroys","annotations":{"destructiveHint":true},'$schema'}]}'
		if [ -e "$1.tools" ]; then reply='"result":'$(cat "$1.tools"); fi
		echo > "$1.ready"
		;;
	*'"method":"tools/call"'*)
		by=${line#*'"by":"'}
		by=${by%%\"*}
		case $line in *'"name":"destroy"'*) tool=destroy ;; *) tool=look ;; esac
		echo "call $tool $by" >> "$1"
		if [ -e "$1.hang" ]; then echo > "$1.called"; continue; fi
		if [ "$by" = mine ]; then echo > "$1.called"; fi
		reply='"result":{"content":[{"type":"text","text":"done"}]}'
		;;
	*'"method":"ping"'*) reply='"result":{}' ;;
	*) reply='"error":{"code":-32601,"message":"no such method"}' ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$reply"
done
