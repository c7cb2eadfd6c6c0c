import { join } from 'node:path'
import type { Command } from 'commander'
import type { AnyBackend } from '../../stages/model/define-backend.js'
import { describeArgs, type ArgumentDescription } from '../../stages/model/model-args.js'
import { findBackend, listBackends } from '../../stages/model/registry.js'
import { surroundings } from '../config/eval-settings.js'
import { loadPlugins } from '../plugins.js'
import { pairs, table } from '../report/table.js'
import type { DefineCommand, Tools } from './command-table.js'
import { withOutput, withPlugins, withStore, type OutputFlags } from './evaluation-options.js'

type ModelsFlags = OutputFlags & { readonly store?: string; readonly plugin?: readonly string[] }

const help = `
Examples:
  pipeline models list
  pipeline models show openai`

export const defineModels: DefineCommand = (command, tools) => {
  command.addHelpText('after', help)
  const subcommand = (name: string, summary: string): Command =>
    withOutput(
      withPlugins(withStore(command.command(name, { isDefault: name === 'list' }).description(summary))),
    ).addHelpText('after', help)
  subcommand('list', 'the names that --model takes').action((flags: ModelsFlags) => list(flags, tools))
  subcommand('show', 'the arguments of a backend')
    .argument('<name>')
    .action((name: string, flags: ModelsFlags) => show(name, flags, tools))
}

async function list(flags: ModelsFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  const backends = listBackends(await pluginBackends(flags, tools))
  if (flags.json === true) {
    terminal.print(JSON.stringify(backends, undefined, 2))
    return
  }
  const columns = [{ title: 'model' }, { title: 'also named' }, { title: '' }]
  const rows = backends.map(({ id, aliases, summary }) => [id, aliases.join(', '), summary])
  terminal.print(table(columns, rows, terminal.paint.out))
}

async function show(name: string, flags: ModelsFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  const backend = await findBackend(name, await pluginBackends(flags, tools))
  const args = describeArgs(backend)
  if (flags.json === true) terminal.print(JSON.stringify({ ...facts(backend), args }, undefined, 2))
  else terminal.print([...about(backend, terminal.paint.out), '', ...argumentTable(args, terminal.paint.out)])
}

async function pluginBackends(flags: ModelsFlags, { env }: Tools): Promise<readonly AnyBackend[]> {
  const { plugins, store } = surroundings(flags, {}, env)
  return (await loadPlugins(plugins, { cacheDir: join(store, 'code') })).backends
}

const facts = ({ id, aliases = [], summary, accepts, requests, concurrency }: AnyBackend) => ({
  id,
  aliases,
  summary,
  accepts,
  requests,
  concurrency,
})

const about = (backend: AnyBackend, paint: Tools['terminal']['paint']['out']): string[] =>
  pairs(
    [
      ['model', backend.id],
      ...(backend.aliases?.length ? [['also named', backend.aliases.join(', ')] as const] : []),
      ['', backend.summary],
      ['accepts', backend.accepts.join(', ')],
      ['requests', backend.requests.join(', ')],
      ['concurrency', String(backend.concurrency)],
    ],
    paint,
  )

function argumentTable(args: readonly ArgumentDescription[], paint: Tools['terminal']['paint']['out']): string[] {
  const columns = [
    { title: 'argument' },
    { title: 'type' },
    { title: 'default' },
    { title: 'changes answers' },
    { title: '' },
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
