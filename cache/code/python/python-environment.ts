/** Chooses the environment variables that Python code of tasks sees. An allow list keeps this process's keys and tokens secret. */
import { isSecretName } from '../../../base/text/secrets.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Names of further variables, separated by commas. */
const passedOnVariable = 'PIPELINE_PYTHON_ENV'

/** Variables for programs, files, the language and numerical libraries. None of these is a secret. */
const allowed = new Set(
  [
    'PATH HOME USER LOGNAME SHELL PWD TERM LANG LANGUAGE TZ TMPDIR TMP TEMP DISPLAY JAVA_HOME VIRTUAL_ENV',
    'LD_LIBRARY_PATH LD_PRELOAD DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH',
    'SYSTEMROOT WINDIR COMSPEC PATHEXT SYSTEMDRIVE USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES',
    'HF_HOME HF_HUB_CACHE HF_DATASETS_CACHE HF_ASSETS_CACHE HF_ENDPOINT HF_HUB_OFFLINE HF_DATASETS_OFFLINE',
    'HUGGINGFACE_HUB_CACHE TRANSFORMERS_CACHE TRANSFORMERS_OFFLINE TOKENIZERS_PARALLELISM TORCH_HOME NLTK_DATA',
    'SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NO_PROXY no_proxy',
    'PIPELINE_MEDIA_ROOT',
  ].flatMap(line => line.split(' ')),
)

const allowedFamilies =
  /^(LC_|PYTHON|CONDA_|XDG_|CUDA_|NVIDIA_|HIP_|ROCR_|OMP_|MKL_|OPENBLAS_|NUMEXPR_|VECLIB_|KMP_|LMMS_EVAL_|COV_CORE_)/

const isProxy = (name: string): boolean => /^(https?|all)_proxy$/i.test(name)

/** Tells whether a value is an address with a password, such as a proxy's. */
const holdsPassword = (value: string): boolean => /\/\/[^/@\s]*@/.test(value)

/**
 * Returns the environment of a task's Python workers. Variables listed in `PIPELINE_PYTHON_ENV` are always passed on. A proxy is passed on only if
 * its address has no password.
 */
export function workerEnvironment(env: Environment): Environment {
  const passedNames = new Set((env[passedOnVariable] ?? '').split(',').map(name => name.trim()))
  const isAllowed = (name: string, value: string): boolean => {
    if (passedNames.has(name)) return true
    if (isProxy(name)) return !holdsPassword(value)
    return (allowed.has(name) || allowedFamilies.test(name)) && !isSecretName(name) && !holdsPassword(value)
  }
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== undefined && isAllowed(name, value)),
  )
}
