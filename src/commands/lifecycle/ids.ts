/** What ids of this part look like (wire, "Identifiers"). */
export const OPERATION_ID = /^[a-z][a-z0-9-]{0,63}$/;
export const ADDON_ID = OPERATION_ID;
