#!/bin/sh
# Installs Total Recall for this user: a private environment, the commands, and the skills.
#
#   ./install.sh [--demo] [options of `total-recall install`]
#   ./install.sh --uninstall
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
base=${XDG_DATA_HOME:-$HOME/.local/share}/total-recall
venv=$base/venv
bin=$HOME/.local/bin
commands='realm-recall nemp-recall cocorecall total-recall'

usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0"
}

say() {
    printf '%s\n' "$*"
}

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

find_python() {
    for python in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        [ -n "$python" ] || continue
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    fail 'Python 3.11 or newer is needed; install it, or name one with PYTHON=/path/to/python3'
}

# The folders above and at a path that are not there yet, the innermost first.
missing() {
    folder=$1
    while [ ! -d "$folder" ]; do
        printf '%s\n' "$folder"
        folder=$(dirname -- "$folder")
    done
}

# The list of the folders that we make tells `uninstall` which to take away.
make_folders() {
    made=$(missing "$base"; missing "$bin")
    mkdir -p "$base" "$bin"
    [ -e "$base/made" ] || printf '%s\n' "$made" >"$base/made"
}

make_environment() {
    if [ -x "$venv/bin/python" ] && "$venv/bin/python" -c '' 2>/dev/null; then
        return
    fi
    rm -rf "$venv"
    if command -v uv >/dev/null 2>&1; then
        uv venv --quiet --python "$1" "$venv"
    else
        "$1" -m venv "$venv" || fail "$1 cannot make environments; on Debian: apt install python3-venv"
    fi
}

install_package() {
    # The package is installed anew, so that a changed clone of the same version counts.
    if command -v uv >/dev/null 2>&1; then
        uv pip install --quiet --python "$venv/bin/python" --reinstall-package total-recall-skills "$here"
    else
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$here"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$here"
    fi
}

link_commands() {
    for command in $commands; do
        link=$bin/$command
        if [ -e "$link" ] || [ -L "$link" ]; then
            [ "$(readlink "$link" || true)" = "$venv/bin/$command" ] && continue
            say "kept       $link is not ours; ours is $venv/bin/$command"
            continue
        fi
        ln -s "$venv/bin/$command" "$link"
        say "installed  $link"
    done
    case ":$PATH:" in
        *":$bin:"*) ;;
        *) say "note       $bin is not on your PATH; the skills do not need it" ;;
    esac
}

uninstall() {
    if [ -x "$venv/bin/total-recall" ]; then
        "$venv/bin/total-recall" uninstall "$@"
    fi
    for command in $commands; do
        if [ "$(readlink "$bin/$command" 2>/dev/null || true)" = "$venv/bin/$command" ]; then
            rm "$bin/$command"
            say "removed  $bin/$command"
        fi
    done
    rm -rf "$venv"
    made=$(cat "$base/made" 2>/dev/null || true)
    rm -f "$base/made"
    printf '%s\n' "$made" | while read -r folder; do
        rmdir "$folder" 2>/dev/null || true
    done
    say "removed  $venv"
}

demo=no
dry=no
remove=no
for word in "$@"; do
    shift
    case $word in
        --demo) demo=yes ;;
        --uninstall) remove=yes ;;
        --help | -h) usage; exit 0 ;;
        --dry-run) dry=yes; set -- "$@" "$word" ;;
        *) set -- "$@" "$word" ;;
    esac
done

if [ "$remove" = yes ]; then
    if [ ! -e "$venv" ]; then
        say "nothing to remove: there is no $venv"
        exit 0
    fi
    if [ "$dry" = yes ]; then
        "$venv/bin/total-recall" uninstall "$@"
        say "would remove  $venv"
        exit 0
    fi
    uninstall "$@"
    exit 0
fi

python=$(find_python)
if [ "$dry" = yes ] && [ ! -x "$venv/bin/total-recall" ]; then
    say "would make     $venv with $python"
    say "would install  $commands into $bin, and the skills for the agents found"
    exit 0
fi
if [ "$dry" = no ]; then
    make_folders
    make_environment "$python"
    install_package
    link_commands
fi
"$venv/bin/total-recall" install "$@"
if [ "$demo" = yes ]; then
    say ''
    "$venv/bin/total-recall" demo
fi
