#!/bin/sh
# GENERATED_NOTE
#
# Suggests the call of feeder that answers a recursive grep for a symbol. Claude Code runs this
# before the tools Grep and Bash, also in sub-agents (https://code.claude.com/docs/en/hooks). It
# prints a hint for the model or nothing, and always ends with 0: it never forbids a search.
# It starts no program but cat, so that it takes a few milliseconds.

LC_ALL=C
set -f
trap 'exit 0' EXIT

# Sets $value to the text after the opening quote of a key's string.
find_string() {
    case $input in
        *"\"$1\":\""*) value=${input#*"\"$1\":\""} ;;
        *"\"$1\": \""*) value=${input#*"\"$1\": \""} ;;
        *) return 1 ;;
    esac
}

# Sets $value to the string that begins it, with \" as "; other escapes stay.
cut_string() {
    rest=$value value=
    while :; do
        part=${rest%%\"*}
        case $part in
            "$rest") exit 0 ;;
            *\\\\) value=$value$part && return ;;
            *\\) value=$value${part%\\}\" rest=${rest#*\"} ;;
            *) value=$value$part && return ;;
        esac
    done
}

# Ends if the path is one file: to search it is cheap.
skip_single_file() {
    [ ! -d "$1" ] || return 0
    case ${1##*/} in
        . | .. | *[*?]*) ;;
        ?*.*) exit 0 ;;
    esac
}

# Sets $pattern to that of a recursive grep; ends for any other command.
find_pattern_of_command() {
    set -- $1
    if [ "$1 $3" = 'cd &&' ]; then shift 3; fi
    flags=nwHFElhsI
    case $1 in
        rg) recursive=1 flags=nwHFlsIN ;;
        grep | egrep) recursive= flags=rR$flags ;;
        git) [ "$2" = grep ] && recursive=1 && shift || exit 0 ;;
        *) exit 0 ;;
    esac
    shift
    pattern=
    while [ $# -gt 0 ]; do
        word=$1
        shift
        case $word in
            '|' | ';' | '&&' | '||' | '2>/dev/null') break ;;
            --recursive) recursive=1 ;;
            --include=* | --exclude=* | --exclude-dir=* | --glob=*) ;;
            --type=* | --color=* | --max-count=*) ;;
            --line-number | --no-heading | --word-regexp | --files-with-matches | --) ;;
            -[ABCmgt]) [ $# -gt 0 ] && shift || exit 0 ;;
            -[ABCm][0-9]*) ;;
            -e) [ -z "$pattern" ] && [ $# -gt 0 ] && pattern=$1 && shift || exit 0 ;;
            -[!-]*)
                [ -z "${word#-}" ] || case ${word#-} in *[!$flags]*) exit 0 ;; esac
                case $word in *[rR]*) recursive=1 ;; esac
                ;;
            -*) exit 0 ;;
            *)
                if [ -n "$pattern" ]; then
                    skip_single_file "$word"
                    continue
                fi
                pattern=$word
                case $word in
                    # 'def name' is two words here
                    [\'\"]*[\'\"]) ;;
                    [\'\"]*) [ $# -gt 0 ] && pattern="$word $1" && shift || exit 0 ;;
                esac
                ;;
        esac
    done
    [ -n "$recursive" ] || exit 0
    case $pattern in
        \'*\' | \"*\") pattern=${pattern#?} pattern=${pattern%?} ;;
    esac
}

# Sets $name and $kind from a pattern like `\bname\b`, `name(` or `class Name`.
find_name() {
    name=${1#^} kind=symbol
    name=${name#'\\b'}
    case $name in
        *' '*)
            case ${name%% *} in
                def | class | function | func | fn | fun) ;;
                struct | interface | trait | enum | type) ;;
                *) exit 0 ;;
            esac
            name=${name#* } kind=definition
            ;;
    esac
    name=${name%'\\b'}
    name=${name#'\\.'}
    case $name in
        *'(')
            name=${name%'('} name=${name%'\\'}
            [ $kind = definition ] || kind=call
            ;;
    esac
    case $name in
        '' | ? | ?? | [0-9]* | *[!A-Za-z0-9_]*) exit 0 ;;
    esac
    # without a bracket or keyword, a single word may be any text: `error`, `TODO`, `HTTP_PROXY`
    case $kind:$name in
        symbol:*[a-z]*_* | symbol:*_*[a-z]* | symbol:*[a-z][A-Z]*) ;;
        symbol:*) exit 0 ;;
    esac
}

# Ends outside of a repository, where feeder has nothing to search.
skip_other_folders() {
    folder=${CLAUDE_PROJECT_DIR:-$PWD}
    until [ -e "$folder/.git" ]; do
        [ -n "$folder" ] || exit 0
        case $folder in
            */*) folder=${folder%/*} ;;
            *) exit 0 ;;
        esac
    done
}

program=PROGRAM
input=$(cat)
[ ${#input} -lt 20000 ] || exit 0
case $input in
    *'"tool_name":"Grep"'* | *'"tool_name": "Grep"'*)
        case $input in *'"-i":true'* | *'"-i": true'*) exit 0 ;; esac
        if find_string path; then
            cut_string
            skip_single_file "$value"
        fi
        find_string pattern || exit 0
        cut_string
        pattern=$value
        ;;
    *'"tool_name":"Bash"'* | *'"tool_name": "Bash"'*)
        find_string command || exit 0
        case $value in *grep* | *rg*) ;; *) exit 0 ;; esac
        cut_string
        find_pattern_of_command "$value"
        ;;
    *) exit 0 ;;
esac
find_name "$pattern"
skip_other_folders

case $kind in
    definition)
        arguments="{\\\"target\\\": \\\"$name\\\", \\\"kind\\\": \\\"definition\\\"}"
        command="definition $name"
        does='names its definition'
        ;;
    *)
        arguments="{\\\"target\\\": \\\"$name\\\"}"
        command="references $name"
        does='lists what calls or uses it, each with its function'
        ;;
esac
case $input in
    # sub-agents may lack MCP tools
    *'"agent_id":'*) call="$program $command" ;;
    *) call="the MCP tool feeder references $arguments" ;;
esac
printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "%s"}}\n' \
    "Instead of grep for $name: $call $does."
exit 0
