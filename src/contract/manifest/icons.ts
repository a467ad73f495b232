/** The semantic icons of the host: the names `sdk.iconNames` offers (05:220-228) and a manifest may use (14:213; 02:35). */

const SDK_1 =
  'alert bell book bookmark calendar chat check chevron-down chevron-right chevron-up clock close copy database download edit ' +
  'external-link eye file filter folder grid heart home info link list lock mail message moon more pause plus puzzle refresh ' +
  'robot search send settings share sort spark star sun table tag terminal trash unlock upload user users warning wrench x';
const SDK_2 =
  'arrow-left arrow-right chart-bar circle-dot clipboard code cube filter-off gender globe headphones help-circle mic play ' +
  'plug-off save shield smile waveform camera stop circle image spinner user-shield mask';
const STUDIO_AND_TALK =
  'boxes compass gauge ghost git-branch images key layers maximize memory music pencil repeat server sliders square-dashed ' +
  'store undo video volume palette phone columns chevron-left';

export const HOST_ICONS: readonly string[] = `${SDK_1} ${SDK_2} ${STUDIO_AND_TALK}`.split(' ');

/** The icon of a home command whose app has none (02:36-37). */
export const DEFAULT_ICON = 'puzzle';
