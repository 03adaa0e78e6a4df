import './skeleton.css';

/** Lines of the height that the content will have, so that nothing moves when it comes. */
export const Skeleton = ({ lines = 3, height = 20 }: { lines?: number; height?: number }) => (
  <div className="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} style={{ height }} />
    ))}
  </div>
);
