#!/usr/bin/env bash
# Install into a scratch prefix and use everything: programs, library, Python, manual pages, completions: run_install.sh
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
unset ORRERY_DATADIR ORRERY_LIBRARY PYTHONPATH LD_LIBRARY_PATH
export PATH="$prefix/bin:$PATH" LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
check() { # name, command...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then tap_ok "$name"; else tap_not_ok "$name" "$work/log"; fi
}

# Optimisation is not tested here, and building without it takes only seconds.
if ! { meson setup "$work/build" "$root" --prefix "$prefix" -Dtests=disabled -Doptimization=0 &&
    ninja -C "$work/build" && meson install -C "$work/build" --no-rebuild; } >"$work/log" 2>&1; then
    tail -20 "$work/log" >"$work/tail"
    tap_not_ok "builds and installs" "$work/tail"
    tap_done
    exit
fi
tap_ok "builds and installs"
rm -rf "$work/build" # The installed files must not need the build folder.
cd "$work" || exit 1

answers() { [ "$(command -v orrery)" = "$prefix/bin/orrery" ] && orrery train --model llama2-7b --system h100-sxm --gpus 8 --zero 1; }
check "the program answers" answers
finds_data() { orrery validate --where source='Megatron-LM SC21 Table 1' | grep -q '^10 rows, 10 values scored'; }
check "the program finds its measurements" finds_data
reproduces() { orrery reproduce memory gemm --out results && [ -s results/index.html ] && ls results/*.csv; }
check "so do the studies" reproduces
page() {
    orrery train --model llama2-7b --system h100-sxm --gpus 8 --zero 1 --html page.html &&
        PYTHONPATH=$root/tests python3 -c 'import report_page; print(report_page.Page("page.html").summary()); assert not report_page.Page("page.html").problems'
}
check "a page of an answer" page
if [ -e "$root/web/dist/index.html" ]; then
    explorer() { grep -q '<script type="module">' page.html; }
    check "the page has the explorer inside" explorer
else
    tap_skip "the page has the explorer inside" "the explorer is not built"
fi

# shellcheck disable=SC2016
sed -n '1,/\*\//s/^ \*     //p' "$prefix/include/orrery.h" >program.c
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name orrery.pc)")
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir orrery)
links() {
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 program.c -o program $(pkg-config --cflags --libs orrery) && LD_LIBRARY_PATH=$library ./program
}
check "a C program finds the library through pkg-config" links
cp "$root/examples/library.c" program.c
check "so does the program of docs/library.md" links
links_static() {
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 $(pkg-config --cflags orrery) program.c -o program-static "$library/liborrery.a" \
        $(pkg-config --static --libs-only-l orrery | sed 's/-lorrery//g') -fopenmp && ./program-static
}
check "and the static one" links_static

package=$(find "$prefix" -path '*/orrery/__init__.py' | head -1)
if [ -n "$package" ]; then
    python() {
        PYTHONPATH=${package%/orrery/__init__.py} python3 -c "import orrery
assert orrery._library.lib._name.startswith('$prefix'), orrery._library.lib._name
print(orrery.train('llama2-7b', 'h100-sxm', gpus=8, zero=1).step_time_s)"
    }
    check "Python finds package and library" python
else
    tap_skip "Python finds package and library" "no python3 to install for"
fi

if [ -x "$prefix/bin/orrery-mpi" ] && command -v mpirun >/dev/null; then
    under_mpi() {
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 orrery search train \
            --model llama2-7b --system h100-sxm --gpus 8 --global-batch 16 --threads 1 --json >two.json &&
            orrery search train --model llama2-7b --system h100-sxm --gpus 8 --global-batch 16 --threads 1 --json >one.json &&
            diff <(sed 's/"\(seconds\|evaluations_per_s\)": *[^,]*//g' one.json) \
                <(sed 's/"\(seconds\|evaluations_per_s\)": *[^,]*//g' two.json)
    }
    check "two processes find what one does" under_mpi
else
    tap_skip "two processes find what one does" "no MPI"
fi

# ---- manual pages and completions: every command and option of --help is there

pages=$prefix/share/man/man1
commands=$(orrery help | sed -n '/^Commands$/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v -e '^help$' -e '^version$')
all_pages() {
    for command in $commands; do
        [ -s "$pages/orrery-$command.1" ] || { echo "no page for $command"; return 1; }
        for kind in "" train infer; do
            for option in $(orrery "$command" $kind --help 2>/dev/null | grep -o '^  --[^ ]*' | sed 's/.*--\(\[no-\]\)\{0,1\}//'); do
                case $kind in "") ;; *) grep -q "orrery $command train|infer" <(orrery "$command" --help) || continue ;; esac
                grep -q -- "${option//-/\\\\-}\\\\fR" "$pages/orrery-$command.1" || { echo "$command: no --$option"; return 1; }
            done
        done
    done
}
check "every option of every command has its place in a manual page" all_pages
if command -v man >/dev/null && command -v groff >/dev/null; then
    formats() {
        for page in "$pages"/*.1; do
            man --warnings -l -Tutf8 -Z "$page" 2>>"$work/said" >/dev/null
        done
        cat "$work/said"
        [ ! -s "$work/said" ]
    }
    check "groff has nothing to say against the pages" formats
else
    tap_skip "groff has nothing to say against the pages" "no man or groff"
fi

complete_bash() { # words so far; the last is incomplete
    bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orrery; echo " ${COMPREPLY[*]} "' \
        "$prefix/share/bash-completion/completions/orrery.bash" "$@"
}
completes() {
    complete_bash orrery sea | grep -q ' search ' && complete_bash orrery search "" | grep -q ' train infer ' &&
        complete_bash orrery train --tensor | grep -q -- '--tensor-parallel-size' &&
        complete_bash orrery train --model gpt3 | grep -q ' gpt3-175b ' &&
        complete_bash orrery infer --dump "" | grep -q ' ops costs ledger timeline memory ' &&
        complete_bash orrery show h100 | grep -q ' h100-sxm-80gb ' && complete_bash orrery sweep train --va | grep -q -- '--vary' &&
        complete_bash orrery train --engine nano | grep -q ' nanotron-2025 ' &&
        ! complete_bash orrery search infer --engine nano | grep -q nanotron &&
        complete_bash orrery size --engine vllm-0.1 | grep -q ' vllm-0.11 ' &&
        ! complete_bash orrery train --engine vllm-0.1 | grep -q vllm
}
check "bash completes commands, options, values and ids" completes
if command -v zsh >/dev/null; then
    complete_zsh() { # words so far: what the file hands to zsh's own functions
        zsh -f -c 'compadd() { print -r -- " ${@[2,-1]} " }
            _files() { }
            _describe() { print -rl -- ${(P)2} }
            _arguments() { for spec in "$@"; do print -r -- "$spec"; [[ $spec = 1:*:_* ]] && ${spec##*:}; done }
            words=("${@[2,-1]}") CURRENT=$#words; source "$1"' zsh "$prefix/share/zsh/site-functions/_orrery" "$@"
    }
    zsh_completes() {
        complete_zsh orrery sea | grep -q '^search:' && complete_zsh orrery search "" | grep -q '(train infer)' &&
            complete_zsh orrery train --re | grep -q '^--recompute\[.*:(none selective full core selective-op)$' &&
            complete_zsh orrery train --model g | grep -q '^--model\[.*:_orrery_models$' &&
            complete_zsh orrery show h100 | grep -q ' h100-sxm-80gb '
    }
    check "zsh completes commands, options, values and ids" zsh_completes
else
    tap_skip "zsh completes commands, options, values and ids" "no zsh"
fi
if command -v fish >/dev/null; then
    complete_fish() { # the line so far
        fish -c "source $prefix/share/fish/vendor_completions.d/orrery.fish; complete -C '$1'" | cut -f1
    }
    fish_completes() {
        complete_fish 'orrery sea' | grep -qx search && complete_fish 'orrery train --recom' | grep -qx -e --recompute &&
            complete_fish 'orrery train --recompute s' | grep -qx selective &&
            complete_fish 'orrery train --model gpt3' | grep -qx gpt3-175b &&
            complete_fish 'orrery train --engine nano' | grep -qx nanotron-2025 &&
            ! complete_fish 'orrery infer --engine nano' | grep -q nanotron &&
            complete_fish 'orrery show h100' | grep -qx h100-sxm-80gb && complete_fish 'orrery validate pro' | grep -q program
    }
    check "fish completes commands, options, values, ids and files" fish_completes
else
    tap_skip "fish completes commands, options, values, ids and files" "no fish"
fi
tap_done
