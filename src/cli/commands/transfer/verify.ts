import { isObject } from '../../../../base/values/canonical-json.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { verifyBundle } from '../../../evidence/verify-certificate.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withOutput, type OutputFlags } from '../../flags/evaluation-options.js'

const help = `
Examples:
  pipeline verify run.pipeline
  pipeline verify run.pipeline --key their-public-key.pem

The certificate is run.pipeline.cert.json, which pipeline export --sign wrote beside the file. Without --key the
signature shows that file and certificate belong together, and not who signed. Exit code 1 if anything differs.`

interface VerifyFlags extends OutputFlags {
  readonly key?: string
  readonly certificate?: string
}

/** Defines `pipeline verify`. */
export const defineVerify: DefineCommand = (command, { terminal }, end) =>
  void withOutput(command)
    .argument('<file>', 'a file that pipeline export --sign wrote')
    .option('--key <file>', 'the public (or private) key in PEM form that must have signed')
    .option('--certificate <file>', 'the certificate, if it is not FILE.cert.json')
    .addHelpText('after', help)
    .action(async (file: string, { key, certificate, json, quiet }: VerifyFlags) => {
      const verification = await verifyBundle(file, {
        ...(key === undefined ? {} : { publicKey: key }),
        ...(certificate === undefined ? {} : { certificate }),
      })
      const { problems } = verification
      if (problems.length > 0) end(exitCode({ isRefused: true }))
      const { run, public_key: publicKey, signed_at: signedAt, root } = verification.certificate
      const name = isObject(run) && typeof run['name'] === 'string' ? run['name'] : ''
      if (json === true)
        return terminal.printData(
          JSON.stringify(
            { file, sound: problems.length === 0, problems, run: name, root, publicKey, signedAt },
            undefined,
            2,
          ),
        )
      if (problems.length > 0)
        return terminal.print([`${shownPath(file)} is not what was signed:`, ...problems.map(text => `  ${text}`)])
      if (quiet === true) return
      terminal.print([
        `${shownPath(file)} is run ${name} as it was signed at ${signedAt}`,
        `  key   ${publicKey}`,
        `  root  ${root}`,
      ])
    })
