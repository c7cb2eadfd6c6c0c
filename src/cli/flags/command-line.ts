/**
 * Normalizes arguments so that lmms-eval's command lines work: `--model_args` becomes `--model-args`, a line that begins with a flag is an evaluation, and `--version`
 * is the command. Values, and everything after `--`, stay unchanged.
 */
export function normalizeArgs(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  const own = end < 0 ? args : args.slice(0, end)
  const dashed = own.map(arg => (/^--[a-z]\w*(?=_)/i.test(arg) ? withDashes(arg) : arg))
  const rest = end < 0 ? [] : args.slice(end)
  if (dashed[0] === '--version' || dashed[0] === '-V') return ['version', ...dashed.slice(1), ...rest]
  const isBareEvaluation = dashed[0]?.startsWith('--') === true && dashed[0] !== '--help'
  return [...(isBareEvaluation ? ['eval'] : []), ...dashed, ...rest]
}

function withDashes(arg: string): string {
  const equals = arg.indexOf('=')
  const name = equals < 0 ? arg : arg.slice(0, equals)
  return name.replaceAll('_', '-') + arg.slice(name.length)
}
