import com.segment.analytics.Analytics;
import com.segment.analytics.Callback;
import com.segment.analytics.messages.*;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class AnalyticsJava {
  public static void main(String[] args) throws Exception {
    var user = System.getenv("USER_ID");
    var count = Integer.parseInt(System.getenv("COUNT"));
    var answered = new CountDownLatch(count + 5);
    var failures = new java.util.concurrent.ConcurrentLinkedQueue<Throwable>();
    var analytics =
        Analytics.builder(System.getenv("WRITE_KEY"))
            .endpoint(System.getenv("HOST"))
            .callback(
                new Callback() {
                  public void success(Message message) {
                    answered.countDown();
                  }

                  public void failure(Message message, Throwable error) {
                    failures.add(error);
                    answered.countDown();
                  }
                })
            .build();
    analytics.enqueue(IdentifyMessage.builder().userId(user).traits(Map.of("plan", "pro")));
    analytics.enqueue(PageMessage.builder("Home").userId(user));
    analytics.enqueue(ScreenMessage.builder("Cart").userId(user));
    analytics.enqueue(GroupMessage.builder("g-1").userId(user).traits(Map.of("seats", 3)));
    analytics.enqueue(AliasMessage.builder(user + "-before").userId(user));
    for (int n = 0; n < count; n++) {
      analytics.enqueue(TrackMessage.builder("Order Completed").userId(user).properties(Map.of("n", n)));
      Thread.sleep(10);
    }
    // The faults are over when stdin ends.
    System.in.readAllBytes();
    analytics.flush();
    var isDone = answered.await(120, TimeUnit.SECONDS);
    analytics.shutdown();
    if (!isDone || !failures.isEmpty()) throw new IllegalStateException("failed: " + failures.peek());
    System.exit(0);
  }
}
