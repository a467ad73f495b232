/** The addresses of My add-ons. */
import { navigate } from '../app/router.tsx';

export const detailAddress = (id: string): string => `/app/addons?detail=${encodeURIComponent(id)}`;
export const resourceAddress = (id: string, resourceId: string): string =>
  `${detailAddress(id)}&resource=${encodeURIComponent(resourceId)}`;
export const closePane = (options: { replace?: boolean } = {}): void => navigate('/app/addons', options);
