import type { Argument, Command, Option } from 'commander';
import { projectFolder } from '../../../scripts/data-folder.mjs';

/*
 * Scripts with every command, option and choice written out: a shell that asked this program at each press of the key would
 * wait for its start. Made from the commands themselves.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, program: Command): string {
  const places = placesBelow(program, '');
  return shell === 'fish' ? fishScript(places) : bashScript(places, shell === 'zsh');
}

/** A command, and what may follow it. `path` is `invoices list`; empty for the program. */
interface Place {
  readonly path: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  readonly arguments: readonly Argument[];
}

function placesBelow(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const place = {
    path,
    commands,
    options: help.visibleOptions(command),
    arguments: command.registeredArguments,
  };
  const below = command.commands.flatMap((part) => placesBelow(part, `${path} ${part.name()}`.trim()));
  return [place, ...below];
}

const takesValue = ({ required, optional }: Option) => required || optional;
const long = ({ long: name, short }: Option) => name ?? short ?? '';
const FILES = /^(?:file|path|folder|output|out|dir|heads)$/;
const isFile = (name: string) => FILES.test(name.replace(/^--/, ''));

/** Words by the place and, for the value of an option, the option: `invoices list --status`. */
function bashScript(places: readonly Place[], isZsh: boolean): string {
  const words: string[] = [];
  const values: string[] = [];
  const files: string[] = [];
  for (const { path, commands, options, arguments: args } of places) {
    const choices = args.flatMap(({ argChoices = [] }) => argChoices);
    const names = [...commands.map((command) => command.name()), ...choices, ...options.map(long)];
    words.push(`    '${path}') words='${names.join(' ')}' ;;`);
    if (args.some((argument) => isFile(argument.name()))) files.push(path);
    for (const option of options.filter(takesValue)) {
      const place = `${path} ${long(option)}`.trim();
      if (isFile(long(option))) files.push(place);
      values.push(`    '${place}') words='${option.argChoices?.join(' ') ?? ''}' ;;`);
    }
  }
  return `${isZsh ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}${FUNCTION}
_voltstream() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before='' path='' words='' word place i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    before=''
    case "\${path:+$path }$word" in
${cases(places.map(({ path }) => path))}      path="\${path:+$path }$word" ;;
      *) before="$word" ;;
    esac
  done
  case "\${path:+$path }$before" in
${values.join('\n')}
    *) before='' ;;
  esac
  place="\${path:+$path }$before"
  place="\${place% }"
  [ -n "$before" ] || case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case "$place" in
${cases(files)}      COMPREPLY+=($(compgen -f -- "$cur")) ;;
  esac
}
complete -o filenames -F _voltstream voltstream
`;
}

function cases(places: readonly string[]): string {
  const named = places.filter((place) => place !== '').map((place) => `'${place}'`);
  return `      ${named.join(' | \\\n      ')})\n`;
}

/** The command that the scripts complete. */
const FUNCTION = `voltstream() { npm --prefix '${projectFolder.replaceAll("'", "'\\''")}' run -s cli -- "$@"; }`;

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, arguments: args }) => {
    const begin = `complete -c voltstream -n '__voltstream_at "${path}"'`;
    const choices = args.flatMap(({ argChoices = [] }) => argChoices);
    return [
      ...commands.map(
        (part) => `${begin} -f -a ${part.name()} -d ${fishText(part.summary() || part.description())}`,
      ),
      ...(choices.length === 0 ? [] : [`${begin} -f -a '${choices.join(' ')}'`]),
      ...(args.some((argument) => isFile(argument.name())) || commands.length > 0 ? [] : [`${begin} -f`]),
      ...options.map((option) => {
        const value = !takesValue(option)
          ? ''
          : isFile(long(option))
            ? ' -r -F'
            : ` -x -a '${option.argChoices?.join(' ') ?? ''}'`;
        return `${begin} -l ${long(option).replace(/^--/, '')}${value} -d ${fishText(option.description)}`;
      }),
    ];
  });
  const paths = places.map(({ path }) => path).filter((path) => path !== '');
  return `function voltstream
  npm --prefix ${fishText(projectFolder)} run -s cli -- $argv
end
function __voltstream_at
  set -l path
  for word in (commandline -opc)[2..]
    if contains -- (string join ' ' $path $word) ${paths.map((path) => `'${path}'`).join(' ')}
      set -a path $word
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
