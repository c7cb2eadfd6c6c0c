/** Copies a text, and says so. */
import { useEffect, useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly text: string
  /** The name of the copied text, for screen readers: "command line". */
  readonly what: string
}

/** Shows a button that copies a text to the clipboard. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [said, setSaid] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (said === undefined) return undefined
    const timer = setTimeout(() => setSaid(undefined), 2000)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => setSaid((await copyText(text)) ? 'copied' : 'failed')
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy the ${what}`}>
        Copy
      </button>
      <span role="status" class="dim">
        {said === 'copied' && 'Copied.'}
        {said === 'failed' && 'The browser does not allow copying. Select the text instead.'}
      </span>
    </span>
  )
}

/** Copies a text. A page without HTTPS from another machine has no clipboard API, but can copy a selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copiedBySelection(text)
  }
}

function copiedBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else copies without the clipboard's permission
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
