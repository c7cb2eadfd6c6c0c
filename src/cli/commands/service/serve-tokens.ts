import { PipelineError } from '../../../../base/errors/errors.js'
import { tokenScopes, type TokenScope } from '../../../../cache/store/token-store.js'
import { makeWordReader, wholeNumber } from '../../../config/values/option-values.js'
import { newToken } from '../../../service/tokens.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withStore } from '../../flags/evaluation-options.js'
import { locateStore, withOpenStore } from '../../open-run.js'

const help = `
Example:
  pipeline serve token new --name ci --scope submit --days 90

The token is shown once; the store keeps only its hash. Clients send it as "authorization: Bearer pl_…".
The scope read allows to see jobs and runs, submit also to submit jobs and cancel one's own, and admin also to cancel those of others.`

interface StoreFlags {
  readonly store?: string
}

/** `pipeline serve token new | list | remove`. */
export const defineTokens: DefineCommand = (command, tools, end) => {
  withStore(command.command('new').description('create a token, and print it once'))
    .requiredOption('--name <name>', 'who it is for')
    .option('--scope <scope>', 'read, submit (default) or admin', makeWordReader('--scope', tokenScopes))
    .option('--days <n>', 'the days after which it expires (never)', wholeNumber('--days', { min: 1 }))
    .addHelpText('after', help)
    .action(async ({ name, scope = 'submit', days, ...flags }: NewFlags) => {
      const { text, stored } = newToken({
        name,
        scope,
        now: tools.clock.wallNow(),
        ...(days !== undefined && { days }),
      })
      await withOpenStore(locateStore(flags, tools), 'write', store => store.tokens.add(stored))
      tools.terminal.print(text)
      tools.terminal.tell(`token ${stored.id} (${name}, scope ${scope}) is stored; its text is shown only now`)
      end(exitCode({}))
    })
  withStore(command.command('list').description('list the tokens of the store, without their secrets'))
    .option('--json', 'print as JSON')
    .action(async ({ json, ...flags }: StoreFlags & { readonly json?: boolean }) => {
      const tokens = await withOpenStore(locateStore(flags, tools), 'read', store => store.tokens.list())
      const rows = tokens.map(({ id, name, scope, createdAt, expiresAt }) => ({
        id,
        name,
        scope,
        created_at: date(createdAt),
        expires_at: expiresAt === undefined ? null : date(expiresAt),
      }))
      if (json === true) tools.terminal.printData(JSON.stringify(rows))
      else if (rows.length === 0) tools.terminal.print('no tokens. Make one: pipeline serve token new --name NAME')
      else
        tools.terminal.print(
          rows.map(row => `${row.id}  ${row.scope.padEnd(6)}  ${row.expires_at ?? 'never expires'}  ${row.name}`),
        )
      end(exitCode({}))
    })
  withStore(command.command('remove').description('revoke a token'))
    .argument('<id>', 'the id of the token, as list shows it')
    .action(async (id: string, flags: StoreFlags) => {
      const isGone = await withOpenStore(locateStore(flags, tools), 'change', store => store.tokens.remove(id))
      if (!isGone) throw new PipelineError('usage', `no token "${id}"   (pipeline serve token list)`)
      tools.terminal.print(`removed token ${id}`)
      end(exitCode({}))
    })
}

interface NewFlags extends StoreFlags {
  readonly name: string
  readonly scope?: TokenScope
  readonly days?: number
}

const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
