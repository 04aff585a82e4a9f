"""Manual pages and shell completions from the help of the program: make_pages.py ORRERY FOLDER [COMMAND...]

The tables of cli/ are the only source: `orrery help` names the commands, and `orrery COMMAND --help` their options. The
script writes orrery.1, orrery-COMMAND.1, orrery.bash, _orrery (zsh) and orrery.fish. If COMMANDs are given, they must be
exactly those of the program.
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  --(\[no-\])?([a-z0-9-]+)(?: (\S+))?(?:  +|(?<=.{30}) )(\S.*)$")
ALIAS = re.compile(r"^ {29,}(?:also|    ) --([a-z0-9-]+)$")
KINDS = ("train", "infer")  # a study has one of these kinds of jobs
PARTS = "models chips systems engines"  # the parts offered for completion of `show`
IDS = {"model": "models", "draft-model": "models", "system": "systems", "engine": "engines"}
# The kind of engines that a command, or the word behind it, takes. Other commands offer all of them.
ENGINE_KINDS = {"training": ("train",), "serving": ("infer", "serving", "size")}


class Option:
    def __init__(self, name, argument, negatable, text):
        self.name, self.argument, self.negatable, self.text, self.aliases = name, argument, negatable, text, []

    def values(self):
        """The values that the text of the option lists: "none, selective, full"."""
        listed = re.fullmatch(r"(?:[^:;]*: )?([a-z0-9-]+(?:, [a-z0-9-]+)+)(?:, \.\.\.)?", self.text)
        return listed[1].split(", ") if listed and self.argument else []

    def spellings(self):
        for name in (self.name, *self.aliases):
            yield name
            if self.negatable:
                yield "no-" + name


class Help:
    """The parts of one --help: usage lines, the text behind them, and sections of options or of other lines."""

    def __init__(self, text):
        self.usage, self.about, self.sections = [], [], [("", [])]
        lines = text.splitlines()
        while lines and lines[0] and not OPTION.match(lines[0]):
            line = lines.pop(0)
            (self.usage if not self.usage or line.startswith("  ") else self.about).append(line)
        for line in lines:
            option, alias = OPTION.match(line), ALIAS.match(line)
            if option:
                negatable, name, argument, words = option.groups()
                self.sections[-1][1].append(Option(name, argument, bool(negatable), words))
            elif alias:
                self.sections[-1][1][-1].aliases.append(alias[1])
            elif line.startswith("  "):
                self.sections[-1][1].append(tuple(line.strip().split(None, 1)))
            elif line:
                self.sections.append((line, []))

    def options(self):
        return [item for _, items in self.sections for item in items if isinstance(item, Option)]


class Program:
    def __init__(self, path):
        self.path = path
        self.text = self.say("help")
        listed = self.text.partition("\nCommands\n")[2].partition("\n\n")[0]
        self.commands = dict(re.match(r"  (\S+) +(.*)", line).groups() for line in listed.splitlines())
        self.version = self.say("version").split()[1]
        self.helps = {}
        for command in self.commands:
            if command not in ("help", "version"):
                plain = Help(self.say(command, "--help"))
                asked = any(f"orrery {command} train|infer" in line for line in plain.usage)
                self.helps[command] = {kind: Help(self.say(command, kind, "--help")) for kind in KINDS} if asked \
                    else {"": plain}

    def say(self, *arguments):
        done = subprocess.run([self.path, *arguments], check=True, capture_output=True, encoding="utf-8")
        return done.stdout


# ---------------------------------------------------------------- manual pages


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def page_head(program, name, about):
    return [f'.TH {name.upper()} 1 "" "orrery {program.version}" "Orrery"', ".ad l", ".SH NAME",
            f"{roff(name)} \\- {roff(about)}"]


def page_options(help_):
    for title, items in help_.sections:
        if items and title:
            yield f".SS {roff(title)}"
        for item in items:
            yield ".TP"
            if not isinstance(item, Option):
                yield f".B {roff(item[0])}"
                yield roff(item[1] if len(item) > 1 else "")
                continue
            argument = f" \\fI{roff(item.argument)}\\fR" if item.argument else ""
            no = "[no\\-]" if item.negatable else ""
            yield f"\\fB\\-\\-{no}{roff(item.name)}\\fR{argument}"
            also = f" Also: {', '.join('--' + name for name in item.aliases)}." if item.aliases else ""
            yield roff(item.text + ("." if also else "") + also)


def command_page(program, command):
    helps = program.helps[command]
    first = next(iter(helps.values()))
    lines = page_head(program, f"orrery-{command}", program.commands[command])
    lines += [".SH SYNOPSIS", ".nf", *(roff(re.sub(r"^(usage: |       )", "", line)) for line in first.usage), ".fi",
              ".SH DESCRIPTION", *(roff(line) for line in first.about)]
    for kind, help_ in helps.items():
        lines += [f".SH OPTIONS{' OF ORRERY ' + command.upper() + ' ' + kind.upper() if kind else ''}",
                  *page_options(help_)]
    lines += [".SH SEE ALSO", ".BR orrery (1)"]
    return "\n".join(lines) + "\n"


def main_page(program):
    about, _, rest = program.text.partition("\n")[2].partition("\n\nCommands\n")
    lines = page_head(program, "orrery", about.rstrip("."))
    lines += [".SH SYNOPSIS", "\\fBorrery\\fR \\fICOMMAND\\fR [options]", ".SH COMMANDS"]
    for command, text in program.commands.items():
        lines += [".TP", f".B {command}", roff(text)]
    lines += [".SH DESCRIPTION", *(roff(line) for line in rest.partition("\n\n")[2].strip().splitlines()),
              ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "if set, no colours", ".SH SEE ALSO",
              " ,\n".join(f".BR orrery\\-{command} (1)" for command in program.helps)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- completions


def merged(program, command):
    """The options of a command, for both kinds of jobs if it has two. The first text of an option is kept."""
    options = {}
    for help_ in program.helps[command].values():
        for option in help_.options():
            options.setdefault(option.name, option)
    return list(options.values())


def second_word(program, command):
    if "" not in program.helps[command]:
        return " ".join(KINDS)
    usage = " ".join(program.helps[command][""].usage)
    choice = re.search(rf"orrery {command} \[([a-z|]+)\]", usage)
    words = choice[1].split("|") if choice else re.findall(rf"orrery {command} ([a-z]+) ", usage)
    return " ".join(dict.fromkeys(words))


def with_values(program, wanted):
    """The spellings of options whose argument `wanted` accepts."""
    return sorted({"--" + spelling for command in program.helps for option in merged(program, command)
                   if option.argument and wanted(option) for spelling in (option.name, *option.aliases)})


def kind_cases():
    """Branches of a `case` over " COMMAND WORD " that print how to list the engines of its kind."""
    return "".join("    " + "|".join(f"*' {word} '*" for word in words) + f") echo --kind {kind} ;;\n"
                   for kind, words in ENGINE_KINDS.items())


def bash(program):
    ids = "".join(f"    {'|'.join(with_values(program, lambda o, p=part: IDS.get(o.name) == p))})\n"
                  f"        COMPREPLY=($(compgen -f -W \"$(_orrery_ids {part}{' $(_orrery_kind)' * (part == 'engines')})\""
                  f" -- \"$cur\"))\n        return ;;\n"
                  for part in dict.fromkeys(IDS.values()))
    values = "".join(
        f"    {'|'.join(f'{command}:--{spelling}' for spelling in option.spellings())})\n"
        f"        COMPREPLY=($(compgen -W \"{' '.join(option.values())}\" -- \"$cur\"))\n        return ;;\n"
        for command in program.helps for option in merged(program, command) if option.values())
    files = "|".join(with_values(program, lambda o: o.name not in IDS and ("FILE" in o.argument or o.argument == "DIR")))
    others = "|".join(with_values(program, lambda o: o.name not in IDS and "FILE" not in o.argument
                                  and o.argument != "DIR"))
    cases = "".join(
        f"    {command})\n"
        + (f"        second=\"{second_word(program, command)}\"\n" if second_word(program, command) else "")
        + "        options=\""
        + " ".join("--" + spelling for option in merged(program, command) for spelling in option.spellings())
        + "\" ;;\n" for command in program.helps)
    return f"""# bash completion of orrery; written by tools/make_pages.py
_orrery_ids() {{ orrery list "$@" 2>/dev/null | sed -n 's/^  *\\([^ ]*\\).*/\\1/p'; }}
_orrery_kind() {{
    case " ${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}} " in
{kind_cases()}    esac
}}
_orrery() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} second= options=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "{' '.join(program.commands)}" -- "$cur"))
        return
    fi
    case ${{COMP_WORDS[1]}}:$prev in
{values}    esac
    case $prev in
{ids}    {files})
        COMPREPLY=($(compgen -f -- "$cur"))
        return ;;
    {others}) return ;;
    esac
    case ${{COMP_WORDS[1]}} in
    help) second="{' '.join(program.helps)}" ;;
    show) second=$(for part in {PARTS}; do _orrery_ids $part; done) ;;&
{cases}    esac
    case $cur in -*) second= ;; esac
    [ "$COMP_CWORD" = 2 ] || second=
    if [ -n "$second" ]; then COMPREPLY=($(compgen -W "$second" -- "$cur")); return; fi
    case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
    esac
}}
complete -F _orrery orrery
"""


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(program):
    commands = "\n".join(f"        '{command}:{quoted(text)}'" for command, text in program.commands.items())
    cases = ""
    for command in program.helps:
        lines = []
        for option in merged(program, command):
            value = ""
            if option.argument:
                is_file = "FILE" in option.argument or option.argument == "DIR"
                action = f"_orrery_{IDS[option.name]}" if option.name in IDS else \
                    f"({' '.join(option.values())})" if option.values() else "_files" if is_file else " "
                value = f":{option.argument.replace(':', ' ')}:{action}"
            for spelling in option.spellings():
                text = re.sub(r"([\[\]:])", r"\\\1", option.text)
                lines.append(f"            '--{spelling}[{quoted(text)}]{quoted(value)}'")
        words = second_word(program, command)
        lines.append("            '1:id:_orrery_parts'" if command == "show" else
                     f"            '1:what:({words})'" if words else "            '*:file:_files'")
        cases += f"    {command})\n        _arguments \\\n" + " \\\n".join(lines) + " ;;\n"
    ids = "".join(f"_orrery_{part}() {{ _orrery_ids {part}{' $(_orrery_kind)' * (part == 'engines')}; _files }}\n"
                  for part in dict.fromkeys(IDS.values()))
    return f"""#compdef orrery
# zsh completion of orrery; written by tools/make_pages.py
_orrery_ids() {{ compadd -- $(orrery list $@ 2>/dev/null | sed -n 's/^  *\\([^ ]*\\).*/\\1/p') }}
_orrery_kind() {{
    case " $words[1] $words[2] " in
{kind_cases()}    esac
}}
_orrery_parts() {{ for part in {PARTS}; do _orrery_ids $part; done }}
{ids}_orrery() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
    help) _describe command commands ;;
{cases}    esac
}}
_orrery "$@"
"""


def fish(program):
    lines = ["# fish completion of orrery; written by tools/make_pages.py",
             "function __orrery_ids; orrery list $argv 2>/dev/null | string match -rg '^ +(\\S+)'; end",
             "function __orrery_kind",
             *(f"    if __fish_seen_subcommand_from {' '.join(words)}; printf '%s\\n' --kind {kind}; return; end"
               for kind, words in ENGINE_KINDS.items()),
             "end", "complete -c orrery -f"]
    lines += [f"complete -c orrery -n __fish_use_subcommand -a {command} -d '{quoted(text)}'"
              for command, text in program.commands.items()]
    for command in program.helps:
        seen = f"complete -c orrery -n '__fish_seen_subcommand_from {command}'"
        if second_word(program, command):
            lines.append(f"{seen} -a '{second_word(program, command)}'")
        elif command == "show":
            lines.append(f"{seen} -a '(for part in {PARTS}; __orrery_ids $part; end)'")
        elif any(word in " ".join(next(iter(program.helps[command].values())).usage) for word in ("FILE", "DIR")):
            lines.append(f"{seen} -F")
        for option in merged(program, command):
            value = ""
            if option.name in IDS:
                kind = " (__orrery_kind)" * (option.name == "engine")
                value = f" -r -F -a '(__orrery_ids {IDS[option.name]}{kind})'"
            elif option.values():
                value = f" -x -a '{' '.join(option.values())}'"
            elif option.argument:
                value = " -r -F" if "FILE" in option.argument or option.argument == "DIR" else " -x"
            lines += [f"{seen} -l {spelling}{value} -d '{quoted(option.text)}'" for spelling in option.spellings()]
    return "\n".join(lines) + "\n"


def main():
    program, folder, expected = Program(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    if expected and sorted(expected) != sorted(program.helps):
        sys.exit(f"make_pages.py: the build lists {sorted(expected)}, the program {sorted(program.helps)}")
    texts = {"orrery.1": main_page(program), "orrery.bash": bash(program), "_orrery": zsh(program),
             "orrery.fish": fish(program)}
    texts.update({f"orrery-{command}.1": command_page(program, command) for command in program.helps})
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


main()
