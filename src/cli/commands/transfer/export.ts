import { stat } from 'node:fs/promises'
import { shownPath } from '../../../../base/files/shown-path.js'
import {
  certificatePath,
  checkCertificateFile,
  readPrivateKey,
  writeCertificate,
} from '../../../evidence/certificate.js'
import { bundleContents, type BundleContent } from '../../../../cache/bundle/content.js'
import { exportRun } from '../../../../cache/bundle/export.js'
import { formatCount, formatQuantity, size } from '../../../../base/text/numbers.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withOutput, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { makeWordReader } from '../../../config/values/option-values.js'
import { openRun, storeDir, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline export last -o run.pipeline
  pipeline export last -o run.pipeline --media
  pipeline export last -o run.pipeline --sign key.pem
  pipeline export last -o scores.pipeline --only scores

The file holds inputs, answers, scores and replies of judge models. So pipeline judge FILE and pipeline import FILE need neither the dataset
nor the model.`

interface ExportFlags extends OutputFlags {
  readonly store?: string
  readonly output: string
  readonly media?: boolean
  readonly sign?: string
  readonly only?: BundleContent
}

/** Defines `pipeline export`. */
export const defineExport: DefineCommand = (command, tools) =>
  void withOutput(withStore(command))
    .argument('<run>', 'name, end of its id, or last')
    .requiredOption('-o, --output <file>', 'the file to write')
    .option('--media', 'include the media')
    .option(
      '--only <content>',
      '"scores": numbers without prompts, answers and targets; "judge-inputs": prompts, answers and targets without scores',
      makeWordReader('--only', bundleContents),
    )
    .option('--sign <key>', 'write FILE.cert.json, signed with this Ed25519 key (PEM); see pipeline verify')
    .addHelpText('after', help)
    .action((reference: string, flags: ExportFlags) =>
      exportToFile(
        {
          store: storeDir(flags, tools),
          reference,
          file: flags.output,
          withMedia: flags.media === true,
          sign: flags.sign,
          only: flags.only,
          flags,
        },
        tools,
      ),
    )

const contentWords = { scores: 'scores alone', 'judge-inputs': 'judge inputs alone' } as const

/** Writes a run to a file and prints what the file contains. An incomplete run is marked as partial. */
export async function exportToFile(
  options: {
    store: string
    reference: string
    file: string
    withMedia: boolean
    sign?: string | undefined
    only?: BundleContent | undefined
    flags?: OutputFlags
  },
  { terminal, clock }: Tools,
): Promise<void> {
  const key = options.sign === undefined ? undefined : await readPrivateKey(options.sign)
  if (key !== undefined) checkCertificateFile(options.file, options.store)
  const manifest = await withOpenStore({ dir: options.store, terminal }, 'read', async store => {
    const { run } = await openRun(store, options.reference)
    return exportRun(store, run, { file: options.file, media: options.withMedia, only: options.only })
  })
  if (key !== undefined) await writeCertificate(options.file, { manifest, key, now: clock.wallNow() })
  const { size: bytes } = await stat(options.file)
  if (options.flags?.json === true) {
    const { partial, pending, media, parts, judgeCalls: calls = [], run } = manifest
    const content = {
      ...(options.only && { only: options.only }),
      run: run.name,
      partial,
      pending,
      media,
      parts,
      ...(calls.length > 0 && { judge_calls: calls }),
    }
    terminal.print(JSON.stringify({ file: options.file, bytes, ...content }, undefined, 2))
    return
  }
  if (manifest.partial) {
    terminal.tell(`note: ${manifest.run.name} is partial: ${formatCount(manifest.pending)} of its items are pending`)
  }
  if (options.flags?.quiet === true) return
  const media = options.withMedia ? `${formatCount(manifest.media)} media` : 'no media'
  const contentText = options.only === undefined ? media : `${contentWords[options.only]}, ${media}`
  const calls = (manifest.judgeCalls ?? []).reduce((sum, { rows }) => sum + rows, 0)
  const judged = calls === 0 ? '' : `, ${formatQuantity(calls, 'judge call')}`
  const signed = key === undefined ? '' : `, signed in ${shownPath(certificatePath(options.file))}`
  terminal.tell(
    `${manifest.run.name} exported to ${shownPath(options.file)} (${size(bytes)}, ${contentText}${judged})${signed}`,
  )
}
