package com.google.firebase.messaging;

import java.util.Map;

/** The member of Firebase's class that the sample uses. The SDK does not depend on Firebase. */
public interface RemoteMessage {
    Map<String, String> getData();
}
