/** Home page commands and model actions: how other pages lead to an add-on's own (02:11-39; 18:76-186). */
import type { Json, JsonObject } from '../json.js';
import { list, member, oneOf, type Report, record, text } from '../shape.js';
import { iconReference, iconRule } from './contributions.js';
import { entries, type Facts, repeats } from './facts.js';
import { isName, localized, name } from './words.js';

export const homeCommands = list(
  record({ id: name }, { alias: name, page: name, label: localized(60), icon: iconReference }),
  {
    max: 8,
  },
);

export function homeCommandRules(facts: Facts, ui: JsonObject, at: string, report: Report): void {
  const commands = entries(ui.homeCommands, member(at, 'homeCommands'));
  const ids = commands.flatMap(({ value, at: path }) =>
    typeof value.id === 'string' ? [{ value: value.id, at: member(path, 'id') }] : [],
  );
  repeats(ids, (path) => report(path, 'repeated-id', 'Each home command needs an id of its own.'));
  for (const { value, at: path } of commands) {
    iconRule(value.icon, ui, member(path, 'icon'), report);
    if (Object.hasOwn(value, 'page')) pageRule(facts, value.page, member(path, 'page'), report);
    else if (typeof ui.mainPage !== 'string')
      report(path, 'home-command', 'A command without a page needs ui.mainPage; declare one of the two.');
  }
}

export function pageRule(facts: Facts, page: Json | undefined, at: string, report: Report): void {
  if (isName(page) && !facts.pages.has(page))
    report(at, 'page', 'This must be one of the pages in capabilities.ui.pages.');
}

/** Every concrete model flag but the native ones for chat and completion (18:117-183). */
export const MODEL_ACTION_CAPABILITIES = (
  'FLAG_EDIT FLAG_EMBEDDINGS FLAG_RERANK FLAG_IMAGE FLAG_TRANSCRIPT FLAG_TTS FLAG_SOUND_GENERATION FLAG_TOKENIZE FLAG_VAD ' +
  'FLAG_VIDEO FLAG_DETECTION FLAG_VISION FLAG_FACE_RECOGNITION FLAG_SPEAKER_RECOGNITION FLAG_AUDIO_TRANSFORM ' +
  'FLAG_DIARIZATION FLAG_SOUND_CLASSIFICATION FLAG_REALTIME_AUDIO FLAG_SCORE FLAG_DEPTH FLAG_TOKEN_CLASSIFY FLAG_3D ' +
  'FLAG_3D_ANIMATION FLAG_DECISIONS FLAG_UPSCALE FLAG_MOTION FLAG_FORECAST'
).split(' ') as readonly string[];

const ROUTE_SEGMENT = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~-]{1,64}';

export const modelActions = list(
  record(
    { capability: oneOf(...MODEL_ACTION_CAPABILITIES), page: name },
    {
      path: text({
        rule: 'route',
        says: 'a relative path of at most seven segments, each 1 to 64 letters, digits, ".", "_", "~" or "-", without "." and ".."',
        pattern: `^${ROUTE_SEGMENT}(?:/${ROUTE_SEGMENT}){0,6}$`,
        max: 254,
      }),
    },
  ),
  { max: 27 },
);

export function modelActionRules(facts: Facts, ui: JsonObject, at: string, report: Report): void {
  const actions = entries(ui.modelActions, member(at, 'modelActions'));
  const flags = actions.flatMap(({ value, at: path }) =>
    typeof value.capability === 'string' ? [{ value: value.capability, at: member(path, 'capability') }] : [],
  );
  repeats(flags, (path) => report(path, 'repeated-id', 'There is one model action for each capability.'));
  for (const { value, at: path } of actions) {
    pageRule(facts, value.page, member(path, 'page'), report);
    if (typeof value.page === 'string' && typeof value.path === 'string' && value.path.length <= 254)
      if (value.page.length + 1 + value.path.length > 256)
        report(member(path, 'path'), 'route-length', 'Page and path together have at most 256 characters.');
  }
}
