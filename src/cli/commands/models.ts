import { codeFolder, findWorkFolder } from '../../../cache/location.js'
import type { Command } from 'commander'
import type { AnyBackend } from '../../../stages/model/define-backend.js'
import { type ArgumentDescription, describeArgs } from '../../../stages/model/model-args.js'
import { findBackend, listBackends, type PluginBackend } from '../../../stages/model/registry.js'
import { surroundings } from '../../config/eval-settings.js'
import { loadPlugins } from '../../model/plugins.js'
import { pairs, table } from '../../present/text/layout/table.js'
import type { DefineCommand, Tools } from '../command.js'
import { withOutput, withPlugins, withStore, type OutputFlags } from '../flags/evaluation-options.js'

type ModelsFlags = OutputFlags & { readonly store?: string; readonly plugin?: readonly string[] }

type ShowFlags = ModelsFlags & { readonly forceSimple?: boolean }

const help = `
Examples:
  pipeline models list
  pipeline models show openai
  pipeline models show mine --plugin ./mine.ts --json`

/** Defines `pipeline models`. */
export const defineModels: DefineCommand = (command, tools) => {
  command.addHelpText('after', help)
  const subcommand = (name: string, summary: string): Command =>
    withOutput(
      withPlugins(withStore(command.command(name, { isDefault: name === 'list' }).description(summary))),
    ).addHelpText('after', help)
  subcommand('list', 'list the names that --model takes').action((flags: ModelsFlags) => list(flags, tools))
  subcommand('show', 'show the arguments of a backend: types, defaults, and whether they are part of keys')
    .argument('<name>', 'a name of pipeline models list')
    .option('--force-simple', 'the simple form, where it has one and one for conversations')
    .action((name: string, flags: ShowFlags) => show(name, flags, tools))
}

async function list(flags: ModelsFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  const plugins = await pluginBackends(flags, tools)
  const backends = await Promise.all(
    listBackends(plugins).map(async summary => {
      const { accepts, requests } = await findBackend(summary.id, plugins, { forceSimple: summary.form === 'simple' })
      return { ...summary, accepts, requests }
    }),
  )
  const folderModels = [...(tools.folder.defaults?.models ?? [])].map(([id, model]) => ({
    id,
    backend: String(model.value['model']),
    origin: model.placeOf([]),
  }))
  if (flags.json === true) {
    terminal.printData(JSON.stringify([...backends, ...folderModels], undefined, 2))
    return
  }
  const columns = [
    { title: 'model', least: 10 },
    { title: 'takes', least: 10 },
    { title: '', least: 20 },
    { title: 'also named', least: 12, drop: 1 },
  ]
  const rows = backends.map(({ id, accepts, aliases, summary, form, origin }) => [
    form === 'simple' ? `${id} (simple)` : id,
    accepts.join(', '),
    origin === 'built-in' ? summary : `${summary} (${origin})`,
    aliases.join(', '),
  ])
  const ofFolder = folderModels.map(({ id, backend, origin }) => [
    id,
    '',
    `${backend} with the arguments in ${origin}`,
    '',
  ])
  terminal.print(table(columns, [...rows, ...ofFolder], terminal.paint.out))
}

async function show(name: string, flags: ShowFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  const plugins = await pluginBackends(flags, tools)
  const backend = await findBackend(name, plugins, { forceSimple: flags.forceSimple === true })
  const args = describeArgs(backend)
  const origin = plugins.find(plugin => plugin.backend === backend)?.origin ?? 'built-in'
  if (flags.json === true) terminal.printData(JSON.stringify({ ...facts(backend), origin, args }, undefined, 2))
  else terminal.print([...about(backend, origin, terminal.paint.out), '', ...argumentTable(args, terminal.paint.out)])
}

async function pluginBackends(flags: ModelsFlags, { env }: Tools): Promise<readonly PluginBackend[]> {
  const { plugins, store } = surroundings(flags, {}, env)
  return (await loadPlugins(plugins, { cacheDir: codeFolder(findWorkFolder(store)) })).backends
}

const facts = ({
  id,
  aliases = [],
  summary,
  form = 'chat',
  accepts,
  requests,
  takesTools,
  concurrency,
}: AnyBackend) => ({
  id,
  aliases,
  summary,
  form,
  accepts,
  requests,
  tools: takesTools === true,
  concurrency,
})

const about = (backend: AnyBackend, origin: string, paint: Tools['terminal']['paint']['out']): string[] =>
  pairs(
    [
      ['model', backend.id],
      ...(backend.aliases?.length ? [['also named', backend.aliases.join(', ')] as const] : []),
      ['', backend.summary],
      ...(origin === 'built-in' ? [] : [['from', origin] as const]),
      ...promptsLine(backend),
      ['accepts', backend.accepts.join(', ')],
      ['requests', backend.requests.join(', ')],
      ['tools', backend.takesTools === true ? 'yes' : 'no'],
      ['concurrency', String(backend.concurrency)],
    ],
    paint,
  )

const promptsLine = ({ form = 'chat' }: AnyBackend): readonly (readonly [string, string])[] =>
  form === 'chat' ? [] : [['prompts', form === 'text' ? 'one text, which the model continues' : 'media, then one text']]

function argumentTable(args: readonly ArgumentDescription[], paint: Tools['terminal']['paint']['out']): string[] {
  const columns = [
    { title: 'argument', least: 12 },
    { title: 'type', least: 10 },
    { title: 'default', least: 8 },
    { title: 'in keys', drop: 1 },
    { title: '', least: 20 },
  ]
  const rows = args.map(({ name, type, default: usual, isRequired, effect, description }) => [
    name,
    type,
    isRequired ? 'required' : (usual ?? ''),
    effect === 'output' ? 'yes' : 'no',
    description,
  ])
  return table(columns, rows, paint)
}
