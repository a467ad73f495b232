/** Starts the page. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followChanges } from './api/lists.ts';
import { startLive } from './api/live.ts';
import { resumeOperations } from './api/operations.ts';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/addons.css';
import './styles/sources.css';
import './styles/approvals.css';

applyTheme();
startLive();
followChanges();
resumeOperations();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
